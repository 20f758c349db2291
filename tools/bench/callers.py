#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times programs that load PARDISO with Espalier, MUMPS, MKL and their own solver, and compares the results. Prints a table in Markdown.

The programs are CasADi's Ipopt, Clarabel, CVXPY and PyPardiso, which tools/setup.sh --pardiso installs. All solvers run in turn, each in
a separate process. A process solves its problem several times: the first solve includes the start of the solver's threads.
"""
import argparse
import collections.abc
import dataclasses
import datetime
import os
import pathlib
import sys
import tempfile

import callers_table
import peers
import programs
from callers_table import MKL, MUMPS, OURS, OWN, Problem

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).resolve().parent / "callers"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
PYTHON = CACHE / "espalier" / "python-pardiso" / "bin" / "python"
# Name of a library that a process with this solver must have loaded; other processes must have loaded none.
LOADED = {OURS: "libespalier_", MKL: "libmkl_rt"}
EPILOG = """
examples:
  tools/bench/callers.py
  MKL_RT_LIBRARY=~/mkl/lib/libmkl_rt.so.3 tools/bench/callers.py --rounds 9 --only heat --only portfolio

environment:
  MKL_RT_LIBRARY   the library of MKL (default: the one in the environment of --python, from the package mkl)

The exit code is 0, 1 if a run with Espalier failed or found another result, or 2 for a usage error.
"""


def ipopt(name, size):
    return Problem("CasADi's Ipopt", name, "casadi_control.py", (name, size), {OURS: "pardiso", MUMPS: "mumps"}, MUMPS, "MUMPS")


def conic(program, name, script, size):
    return Problem(program, name, script, (size,), {OURS: "mkl", MKL: "mkl", OWN: "auto"}, OWN, "auto")


def linear(name, size):
    return Problem("PyPardiso", name, "pypardiso_solve.py", (name, size), {OURS: "pypardiso", MKL: "pypardiso", OWN: "scipy"}, OWN, "SciPy")


PROBLEMS = [ipopt("oscillator", "5000"), ipopt("heat", "100"), conic("Clarabel", "portfolio", "clarabel_portfolio.py", "5000"),
            conic("CVXPY", "least-squares", "cvxpy_least_squares.py", "300"), linear("laplacian", "25"), linear("saddle", "100")]


@dataclasses.dataclass(frozen=True)
class Solver:
    """`command(problem)` and `environment` start the solver; its name is a column of the table."""

    name: str
    command: collections.abc.Callable
    environment: dict


def parse_options():
    parser = argparse.ArgumentParser(prog="callers.py", description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=pathlib.Path, default=ROOT / "build" / "release" / "pardiso", metavar="DIR",
                        help="folder with libpardiso.so and libmkl_rt.so of Espalier (build/release/pardiso)")
    parser.add_argument("--python", type=pathlib.Path, default=PYTHON, metavar="PROGRAM", help="Python with the programs (of tools/setup.sh --pardiso)")
    parser.add_argument("--threads", type=peers.positive, default=2, metavar="N", help="workers of Espalier and threads of the others (2)")
    parser.add_argument("--rounds", type=peers.positive, default=5, metavar="K", help="runs of each solver on each problem, in turn (5)")
    parser.add_argument("--repeat", type=peers.positive, default=3, metavar="R", help="solves per run (3)")
    parser.add_argument("--time-limit", type=peers.positive, default=120, metavar="S", help="seconds of one run (120)")
    parser.add_argument("--processor-time", action="store_true",
                        help="compare the time of all threads on processors, for a busy machine; needs --threads 1")
    parser.add_argument("--only", action="append", choices=[problem.name for problem in PROBLEMS], metavar="NAME",
                        help="only this problem; may be repeated: " + ", ".join(problem.name for problem in PROBLEMS))
    options = parser.parse_args()
    if options.processor_time and options.threads != 1:
        parser.error("--processor-time needs --threads 1, because threads that wait also use processors")
    return options


def say(text):
    print(f"callers: {text}", file=sys.stderr, flush=True)


def mkl_library(options):
    """The library of MKL, or None."""
    files = [pathlib.Path(named)] if (named := os.environ.get("MKL_RT_LIBRARY")) else sorted(options.python.absolute().parents[1].glob("lib/libmkl_rt.so*"))
    return files[-1].resolve() if files and files[-1].exists() else None


def folder_of_mkl(library, folder):
    """Makes a folder with the library under the name that programs search for, which the package mkl lacks."""
    (pathlib.Path(folder) / "libmkl_rt.so").symlink_to(library)
    return folder


def solvers_of(options, scratch):
    """The solvers that can run. Prints a line for MKL if it is missing."""
    if not (options.libraries / "libmkl_rt.so").exists():
        say(f"{options.libraries} has no libmkl_rt.so; build Espalier or name another folder by --libraries")
        sys.exit(2)
    ours = options.libraries.resolve()
    found = [_solver(options, OURS, [str(ours / "libpardiso.so")], _paths(ours)), _solver(options, MUMPS, [], {}),
             _solver(options, OWN, [], {})]
    library = mkl_library(options)
    if library:
        searched = os.pathsep.join(filter(None, [str(library.parent), os.environ.get("LD_LIBRARY_PATH")]))
        found.append(_solver(options, MKL, [], {**_paths(folder_of_mkl(library, scratch)), "LD_LIBRARY_PATH": searched}))
    else:
        say("MKL is left out: set MKL_RT_LIBRARY, or install the package mkl into the environment of --python")
    return found


def _paths(folder):
    return {"MKL_PARDISO_PATH": str(folder), "PYPARDISO_MKL_RT": f"{folder}/libmkl_rt.so"}


def _solver(options, name, library, environment):
    def command(problem):
        more = library if problem.script == "casadi_control.py" else []
        return [str(options.python), "-B", str(FOLDER / problem.script), *problem.arguments, str(options.repeat), problem.solvers[name], *more]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), str(options.threads))
    return Solver(name, command, {**os.environ, **threads, **environment})


def measure(solver, problem, options, folder):
    """Runs a solver once. Throws RunFailed, also if the process used another library than expected."""
    # In an empty folder, because Clarabel also searches the current one.
    output = programs.output_of(solver.command(problem), solver.environment, options.time_limit, folder=folder)
    return programs.last_line(output, lambda line: outcome_of(line, solver.name, "processor_seconds" if options.processor_time else "seconds"))


def outcome_of(line, solver, times):
    wanted, loaded = LOADED.get(solver), line["libraries"]
    strangers = [library for library in loaded if wanted is None or not library.startswith(wanted)]
    if strangers or (wanted and not loaded):
        raise programs.RunFailed(f"used {', '.join(loaded) or 'its own solver'} instead of {wanted or 'its own solver'}")
    return callers_table.Outcome(line["rows"], line[times], line["iterations"], line["objective"], line["status"])


def compare(problem, solvers, options):
    """Runs all solvers of a problem in turn. Each round starts with another one. A solver that failed does not run again."""
    solvers = [solver for solver in solvers if solver.name in problem.solvers]
    cells = {solver.name: callers_table.Cell() for solver in solvers}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(options.rounds):
            for k in range(len(solvers)):
                solver = solvers[(turn + k) % len(solvers)]
                cell = cells[solver.name]
                peers.show_progress(f"{problem.name}: round {turn + 1} of {options.rounds}, {solver.name}")
                if not cell.failure:
                    run(solver, problem, options, folder, cell)
    peers.show_progress("")
    return cells


def run(solver, problem, options, folder, cell):
    try:
        cell.outcomes.append(measure(solver, problem, options, folder))
    except programs.RunFailed as failure:
        say(f"{problem.name} with {solver.name} failed: {failure}")
        cell.outcomes.clear()
        cell.failure = str(failure)


def main():
    options = parse_options()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        solvers = solvers_of(options, scratch)
        problems = [problem for problem in PROBLEMS if not options.only or problem.name in options.only]
        rows = [(problem, compare(problem, solvers, options)) for problem in problems]
    print(f"{datetime.date.today()}, {peers.machine()}, load {load:.1f} before the first run; threads: {options.threads}, rounds: {options.rounds}, "
          f"solves per run: {options.repeat}, {'processor' if options.processor_time else 'wall-clock'} time\n")
    print("\n".join(callers_table.lines_of(rows)))
    return int(any(callers_table.failed(problem, cells) for problem, cells in rows))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
