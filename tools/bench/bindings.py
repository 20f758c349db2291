#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the interfaces of Espalier, and other solvers with the same interfaces, beside the program espalier."""
import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

import peers
import programs
import table

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULT_PROBLEM = ROOT / "examples" / "data" / "flange_tiny.mtx.gz"
# Rows of the table: name, program of the binding, and solver behind it.
BINDINGS = [("c", "c", "espalier"), ("c++", "cpp", "espalier"), ("eigen", "eigen", "espalier"), ("python", "python", "espalier"),
         ("petsc", "petsc", "espalier")]
OTHERS = [("simplicial", "eigen", "simplicial"), ("supernodal", "eigen", "supernodal"), ("suitesparse", "cholmod", "cholmod"), ("sksparse", "python", "sksparse"),
          ("petsc's", "petsc", "petsc"), ("mumps", "petsc", "mumps"), ("cholmod", "petsc", "cholmod")]
NAMES = [name for name, _, _ in BINDINGS + OTHERS]
EPILOG = """
rows of the table:
  c, c++, eigen, python, petsc  Espalier by these interfaces
  simplicial, supernodal        Eigen's SimplicialLLT and CholmodSupernodalLLT
  suitesparse                   CHOLMOD by its own interface, supernodal, ordered by METIS
  sksparse                      scikit-sparse, after tools/setup.sh --python-tests
  petsc's, mumps, cholmod       PETSc's solver types for the Cholesky factorization
"""


def say(text):
    print(f"bindings: {text}", file=sys.stderr, flush=True)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", default=[str(DEFAULT_PROBLEM)],
                        help="Matrix Market files and generated problems (examples/data/flange_tiny.mtx.gz)")
    parser.add_argument("--threads", type=peers.positive, default=2, metavar="N", help="workers, and threads of the other solvers (2)")
    parser.add_argument("--rounds", type=peers.positive, default=5, metavar="K", help="runs of each program, in turn (5)")
    parser.add_argument("--repeat", type=peers.positive, default=5, metavar="R", help="factorizations per run (5)")
    parser.add_argument("--only", action="append", choices=NAMES, metavar="NAME", help="only this row; may be repeated")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", metavar="DIR",
                        help="of a build with tests (build/release)")
    return parser.parse_args()


def python_command(build, solver):
    """The command of the binding for Python, or None if its package is missing."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    python = cache / "espalier" / "python" / "bin" / "python"
    command = ["env", f"PYTHONPATH={build / 'python'}", str(python), "-B"]
    there = python.exists() and subprocess.run(command + ["-c", f"import scipy.io, {solver}"], capture_output=True).returncode == 0
    return command + [str(ROOT / "tools" / "bench" / "bindings" / "python.py"), solver] if there else None


def command_of(build, binding, solver):
    if binding == "python":
        return python_command(build, solver)
    program = build / f"espalier_bench_binding_{binding}"
    return [str(program), solver] if program.exists() else None


def programs_of(rows, options):
    """The programs of the selected rows. Prints a line for each that is not built."""
    found = []
    for name, binding, solver in rows:
        if options.only and name not in options.only:
            continue
        command = command_of(options.build, binding, solver)
        if command:
            found.append(programs.solver(name, command, options.threads, options.repeat))
        else:
            say(f"{name} is left out: {options.build} has no binding for it (see tools/bench/README.md)")
    return found


def to_first_solution(program):
    """Counts the first factorization in the time to solution instead of a later one, because some bindings do their set-up in
    it."""
    def measure(problem):
        sample = program.measure(problem)
        return dataclasses.replace(sample, analysis=sample.analysis + sample.first - sample.factor)
    return programs.Program(program.name, measure)


def file_of(problem, espalier, folder):
    """The problems as files, because other solvers read only files."""
    if pathlib.Path(problem).exists():
        return problem
    file = str(pathlib.Path(folder) / (problem.replace(":", "-") + ".mtx"))
    if subprocess.run([espalier, "generate", problem, file]).returncode != 0:
        sys.exit(2)
    return file


def main():
    options = parse_options()
    options.build = options.build.resolve()
    espalier = options.build / "espalier"
    if not espalier.exists():
        say(f"{espalier} does not exist; build it with -DESPALIER_TESTS=ON, or name another folder by --build")
        return 2
    load = os.getloadavg()[0]
    ours = [programs.espalier(espalier, "program", options.threads, options.repeat, with_residual=True)]
    ours += programs_of(BINDINGS, options)
    others = programs_of(OTHERS, options)
    with tempfile.TemporaryDirectory() as folder:
        files = [file_of(problem, espalier, folder) for problem in options.problems]
        comparisons = [peers.compare(file, [to_first_solution(p) for p in ours], [to_first_solution(p) for p in others],
                                     options.rounds) for file in files]
    print(peers.heading(options, load))
    print(table.render(comparisons))
    return 0 if all(row.samples for comparison in comparisons for row in comparison.rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
