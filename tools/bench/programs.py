# SPDX-License-Identifier: BSD-3-Clause
"""Runs one solver on one problem and reads its measurements."""
import collections.abc
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

LARGEST_BACKWARD_ERROR = 1e-10


class RunFailed(Exception):
    """A run without a result."""


@dataclasses.dataclass
class Sample:
    """One run of one program. Times are in seconds; `peak_bytes` is 0 if it is unknown."""

    analysis: float
    factor: float
    solve: float
    backward_error: float
    nnz_l: float
    flops: float
    n: int = 0
    nnz_lower: int = 0
    peak_bytes: int = 0
    runtime_share: float = 0
    first: float = 0  # the first factorization of the run
    fastest: float = 0  # the factorization that `offload` describes
    offload: dict = dataclasses.field(default_factory=dict)  # the section `offload` of the report

    @property
    def total(self):
        return self.analysis + self.factor + self.solve


@dataclasses.dataclass
class Program:
    """A solver: `name` is its name in the table, `measure(problem)` runs it once and returns a Sample."""

    name: str
    measure: collections.abc.Callable


def espalier(path, name, workers, repeat, ranks=1, options=(), with_residual=False):
    """The program espalier. On request, its solve includes the residual that checks the solution."""
    return Program(name, lambda problem: _run_espalier(path, problem, workers, repeat, ranks, options, with_residual))


def launcher(ranks):
    """Command before a program that runs it on this number of ranks of this machine."""
    if ranks == 1:
        return []
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]


def peer(path, threads, repeat, suffix=""):
    return solver(path.name.removeprefix("peer_") + suffix, [str(path)], threads, repeat)


def solver(name, command, threads, repeat):
    """A command that takes a problem as its last argument, with the interface of a peer program (README.md)."""
    return Program(name, lambda problem: _run_peer(command, problem, threads, repeat))


def peers_in(folder):
    """The programs peer_* of a folder, by name; none if the folder is None, empty or missing."""
    if not folder or not pathlib.Path(folder).is_dir():
        return []
    return sorted(p.resolve() for p in pathlib.Path(folder).glob("peer_*") if p.is_file() and os.access(p, os.X_OK))


def output_of(command, environment=None, seconds=None, accepted=(0,), folder=None):
    """Returns the standard output of a command that runs in a folder, by default the current one. Throws RunFailed if it takes longer or
    ends with another exit code."""
    try:
        done = subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds)
    except OSError as error:
        raise RunFailed(f"cannot be started: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise RunFailed(f"no result after {seconds:g} s") from error
    if done.returncode not in accepted:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise RunFailed(f"exit code {done.returncode}" + (f": {said[-1]}" if said else ""))
    return done.stdout


def _checked(sample):
    if not sample.backward_error <= LARGEST_BACKWARD_ERROR or sample.backward_error < 0:
        raise RunFailed(f"backward error {sample.backward_error:g}")
    if min(sample.analysis, sample.factor, sample.solve) < 0:
        raise RunFailed("a negative time")
    return sample


def _run_espalier(path, problem, workers, repeat, ranks, options, with_residual):
    with tempfile.TemporaryDirectory() as folder:
        report_file = os.path.join(folder, "report.json")
        output_of(launcher(ranks) + [str(path), "solve", problem, "--workers", str(workers), "--repeat", str(repeat),
                                     "--report", report_file, "--quiet", *options])
        try:
            with open(report_file, encoding="utf-8") as text:
                return _checked(from_report(json.load(text), with_residual))
        except (OSError, ValueError, KeyError) as error:
            raise RunFailed(f"the report cannot be used: {error!r}") from error


def from_report(report, with_residual):
    """Counts all work that is done once per matrix as analysis: ordering, symbolic phase, set-up of tasks and storage."""
    factor = report["factor"]
    return Sample(
        analysis=report["ordering"]["seconds"] + report["symbolic"]["seconds"] + factor["setup_seconds"],
        factor=statistics.median(factor["runs"]),
        solve=report["solve"]["seconds"] + (report["solve"]["residual_seconds"] if with_residual else 0),
        backward_error=report["solution"]["backward_error"],
        nnz_l=report["symbolic"]["nnz_l"],
        flops=report["symbolic"]["flops"],
        n=report["matrix"]["n"],
        nnz_lower=report["matrix"]["nnz_lower"],
        peak_bytes=report["memory"]["peak_rss_bytes"],
        runtime_share=report["tasks"]["runtime_share"],
        first=factor["runs"][0],
        fastest=factor["seconds"],
        offload=report["offload"],
    )


def _run_peer(command, problem, threads, repeat):
    environment = dict(os.environ, REPEATS=str(repeat))
    environment.setdefault("ORDERING", "metis")
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        environment[variable] = str(threads)
    return last_line(output_of([*command, problem], environment), lambda line: _checked(_from_line(line)))


def last_line(output, read):
    """Applies a function to the object in the last line of JSON. Throws RunFailed if there is none, or if it lacks a key."""
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        raise RunFailed("printed no line of JSON")
    try:
        return read(json.loads(lines[-1]))
    except (ValueError, KeyError) as error:
        raise RunFailed(f"the line of JSON cannot be used: {error!r}") from error


def _from_line(line):
    return Sample(
        analysis=line["analyse_s"],
        factor=line.get("factor_median_s", line["factor_s"]),
        first=line.get("factor_first_s", line["factor_s"]),
        solve=line["solve_s"],
        backward_error=line["backward_error"],
        nnz_l=line["nnz_l"],
        flops=line["flops"],
        n=line.get("n", 0),
        nnz_lower=line.get("nnz_lower", 0),
    )
