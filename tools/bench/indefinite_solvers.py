# SPDX-License-Identifier: BSD-3-Clause
"""Runs Espalier and peers on symmetric indefinite systems, each in a separate process."""
import collections.abc
import dataclasses
import json
import os
import pathlib
import shlex
import tempfile

import numpy as np

import programs

WRAPPERS = pathlib.Path(__file__).resolve().parent / "symmetric_peers"
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
IN_PYTHON = ("ssids", "ssids-matching", "pardiso", "pardiso-matching", "feral", "qdldl")
OURS = ("espalier", "espalier-signs")
PASSED_OR_INACCURATE = (0, 1)


@dataclasses.dataclass
class Answer:
    """One run. Times are in seconds; the inertia is [positive, negative, zero], and its status is exact or uncertain."""

    analysis: float
    factor: float
    solve: float
    backward_error: float
    inertia: list
    status: str
    perturbed: int
    refinements: int = 0
    delayed: int = 0

    @property
    def total(self):
        return self.analysis + self.factor + self.solve


@dataclasses.dataclass
class Solver:
    """`measure(system, folder)` returns an Answer or throws programs.RunFailed; `version()` returns a text or throws it. A solver that
    needs signs runs only on systems that have them."""

    name: str
    measure: collections.abc.Callable
    version: collections.abc.Callable
    needs_signs: bool = False


def all_solvers(options):
    """Espalier without and with the given signs, and all peers, by name. Peers of --also have the name of their Python behind an @."""
    pythons = [("", options.python), *((f"@{name}", program) for name, _, program in (text.partition("=") for text in options.also))]
    mumps = pathlib.Path(os.environ.get("PEERS") or ".").resolve() / "symmetric_mumps"
    solvers = [*(_espalier(options, name) for name in OURS), _peer(options, "mumps", [str(mumps)], []),
               *(_in_python(options, name, suffix, program) for suffix, program in pythons for name in IN_PYTHON)]
    return {solver.name: solver for solver in solvers}


def _espalier(options, name):
    with_signs = name == "espalier-signs"
    version = [str(options.espalier), "--version"]
    return Solver(name, lambda system, folder: _run_espalier(options, system, folder, with_signs),
                  lambda: programs.output_of(version).splitlines()[0], with_signs)


def _in_python(options, name, suffix, program):
    script, _, variant = name.partition("-")
    return _peer(options, name + suffix, [program, "-B", str(WRAPPERS / f"peer_{script}.py")], [variant] if variant else [])


def _peer(options, name, command, variant):
    environment = _environment(options)

    def measure(system, folder):
        paths = [os.path.join(folder, file) for file in ("system.bin", "x.bin")]
        if not os.path.exists(paths[0]):
            system.write(paths[0])
        output = programs.output_of([*command, *paths, *variant], environment, options.time_limit)
        return programs.last_line(output, lambda line: _answer_of(line, system.backward_error(np.fromfile(paths[1]))))

    return Solver(name, measure, lambda: programs.last_line(programs.output_of([*command, "--version"], environment),
                                                            lambda line: line["version"]))


def _environment(options):
    """SSIDS needs the cancellation of OpenMP. OpenBLAS 0.3.21 takes its slowest kernels on processors that it does not know."""
    threads = dict.fromkeys(THREADS, str(options.threads))
    environment = dict(os.environ, REPEATS=str(options.repeat), REFINE=str(options.refine), OMP_CANCELLATION="true", **threads)
    if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"):
        environment.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    return environment


def _answer_of(line, backward_error):
    return Answer(line["analyse_s"], line["factor_s"], line["solve_s"], backward_error, line["inertia"], line["status"], line["perturbed"],
                  line["refinements"], line.get("delayed", 0))


def _run_espalier(options, system, folder, with_signs):
    with tempfile.TemporaryDirectory(dir=folder) as own:
        b, x, report = (os.path.join(own, file) for file in ("b.npy", "x.npy", "report.json"))
        np.save(b, system.b)
        programs.output_of([str(options.espalier), "solve", str(system.file), "--factorization", "ldlt", "--rhs", b, "--out", x,
                            "--workers", str(options.threads), "--repeat", str(options.repeat), "--refine", str(options.refine),
                            "--report", report, "--quiet", *(["--signs", str(system.signs)] if with_signs else []),
                            *shlex.split(options.espalier_options)], None, options.time_limit, PASSED_OR_INACCURATE)
        try:
            with open(report, encoding="utf-8") as text:
                found = json.load(text)
            # Espalier does not write a solution that it found inaccurate.
            error = system.backward_error(np.load(x).ravel()) if os.path.exists(x) else found["solution"]["backward_error"]
            return _answer_in(found, error)
        except (OSError, ValueError, KeyError) as error:
            raise programs.RunFailed(f"the report or the solution cannot be used: {error!r}") from error


def _answer_in(report, backward_error):
    sample, factor = programs.from_report(report, with_residual=True), report["factor"]
    return Answer(sample.analysis, sample.factor, sample.solve, backward_error,
                  [factor["inertia"][sign] for sign in ("positive", "negative", "zero")], factor["inertia"]["status"], factor["perturbed"],
                  report["solve"]["refinement_steps"])
