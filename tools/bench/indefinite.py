#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares Espalier with other solvers on symmetric indefinite systems: time to solution, backward error, inertia, perturbed pivots.

All solvers run in turn, each in a separate process. This program computes the backward errors itself. It compares each inertia with a
formula, eigenvalues, exact arithmetic, signs or a vote (README.md). The column x is the time of a solver over that of the solver --ours.
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import sys
import tempfile

import indefinite_solvers
import indefinite_table
import peers
import programs

try:
    import indefinite_systems
except ImportError as error:
    sys.exit(f"indefinite: {error}; install NumPy")

EPILOG = """
examples:
  PEERS=~/peers tools/bench/indefinite.py --python ~/peers/python/bin/python stokes2d:200 helmholtz3d:30
  tools/bench/indefinite.py --solvers espalier --json ours.json ~/kkt
  tools/bench/indefinite.py --solvers espalier --earlier peers.json ~/kkt      # beside the answers of an earlier run
  tools/bench/indefinite.py --solvers espalier,pardiso --espalier-options="--ordering metis" mixed2d:100

environment:
  PEERS     the folder with the program symmetric_mumps
  ESPALIER  the program to time (default: build/release/espalier)

The exit code is 0, 1 if a solver of Espalier failed or returned a wrong inertia as exact, or 2 for a usage error.
"""


def parse_options():
    parser = argparse.ArgumentParser(prog="indefinite.py", description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="+", metavar="SYSTEM", help="a Matrix Market file, a folder of them, or a generated matrix")
    parser.add_argument("--solvers", metavar="NAMES", help="solvers, separated by commas (all that are found)")
    parser.add_argument("--ours", default="espalier", metavar="NAME", help="solver that the others are compared with (espalier)")
    parser.add_argument("--python", default=sys.executable, metavar="PROGRAM", help="Python with the packages of the peers (this one)")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=PROGRAM",
                        help="another Python, for other versions of the peers: their names end with @NAME; may be repeated")
    parser.add_argument("--espalier-options", default="", metavar="TEXT", help="further options of espalier solve, as one text")
    parser.add_argument("--threads", type=peers.positive, default=2, metavar="N", help="workers of Espalier and threads of the peers (2)")
    parser.add_argument("--rounds", type=peers.positive, default=3, metavar="K", help="runs of each solver on each system, in turn (3)")
    parser.add_argument("--repeat", type=peers.positive, default=3, metavar="R", help="factorizations per run (3)")
    parser.add_argument("--refine", type=int, default=10, metavar="K", help="maximum number of refinement steps (10)")
    parser.add_argument("--time-limit", type=peers.positive, default=60, metavar="S", help="seconds of one run (60)")
    parser.add_argument("--min-rows", type=peers.positive, default=10000, metavar="N", help="rows of the systems of the second mean (10000)")
    parser.add_argument("--json", metavar="FILE", help="also write all answers to FILE")
    parser.add_argument("--earlier", metavar="FILE", help="add the answers of other solvers from a file of --json; compare no times with it")
    return parser.parse_args()


def say(text):
    print(f"indefinite: {text}", file=sys.stderr, flush=True)


def fail(text):
    say(text)
    sys.exit(2)


def choose(options):
    """The wanted solvers that can run. Prints a line for each other one."""
    known = indefinite_solvers.all_solvers(options)
    wanted = options.solvers.split(",") if options.solvers else list(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        fail(f"there is no solver {unknown[0]}; there are " + ", ".join(known))
    found = []
    for name in wanted:
        try:
            print(f"{name}: {known[name].version()}")
            found.append(known[name])
        except programs.RunFailed as failure:
            say(f"{name} is missing: {failure}")
    return found or fail("no solver is left")


def compare(system, solvers, rounds):
    """Runs in turn all solvers that the system is for. Each round starts with another one. A solver that failed does not run again."""
    solvers = [solver for solver in solvers if system.signs or not solver.needs_signs]
    rows = {solver.name: indefinite_table.Row(solver.name, solver.name not in indefinite_solvers.OURS) for solver in solvers}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            for k in range(len(solvers)):
                solver = solvers[(turn + k) % len(solvers)]
                row = rows[solver.name]
                if not row.failure:
                    measure(solver, system, folder, row)
    return list(rows.values())


def measure(solver, system, folder, row):
    try:
        row.answers.append(solver.measure(system, folder))
    except programs.RunFailed as failure:
        row.answers.clear()
        row.failure = str(failure)


def result_of(system, rows):
    known = system.known
    voted = None if known.inertia or known.source != "unknown" else indefinite_table.vote(rows)
    return indefinite_table.Result(system.name, system.n, known.inertia or voted, "vote of solvers" if voted else known.source, rows)


def load_earlier(file):
    """The rows of an earlier run, by system."""
    if not file:
        return {}
    try:
        with open(file, encoding="utf-8") as text:
            results = json.load(text)["results"]
        return {result["system"]: [row_of(row) for row in result["rows"]] for result in results}
    except (OSError, ValueError, KeyError, TypeError) as error:
        return fail(f"{file} cannot be used: {error!r}")


def row_of(fields):
    answers = [indefinite_solvers.Answer(**answer) for answer in fields.pop("answers")]
    for answer in answers:
        answer.backward_error = math.inf if answer.backward_error is None else answer.backward_error
    return indefinite_table.Row(answers=answers, **fields)


def as_json(options, results):
    """All answers; an infinite backward error becomes null."""
    text = json.dumps({"machine": peers.machine(), "options": vars(options), "results": [dataclasses.asdict(result) for result in results]},
                      indent=1, default=str)
    return text.replace("Infinity", "null") + "\n"


def run(options, solvers, earlier):
    """Yields the result of each system. Prints its lines at once, and a line for each system that cannot be read."""
    print("\n" + indefinite_table.heading())
    for name in indefinite_systems.expand(options.systems):
        with tempfile.TemporaryDirectory() as folder:
            try:
                system = indefinite_systems.read(name, folder, options.espalier)
            except indefinite_systems.NoSystem as error:
                fail(str(error))
            rows = compare(system, solvers, options.rounds)
            others = [row for row in earlier.get(system.name, []) if row.solver not in {solver.name for solver in solvers}]
            result = result_of(system, rows + others)
        print("\n".join(indefinite_table.lines_of(result, options.ours)), flush=True)
        yield result


def failed(results):
    """Whether Espalier failed or was wrong and certain."""
    ours = [(result, row) for result in results for row in result.rows if not row.is_peer]
    return any(not row.answers or result.inertia_verdict(row) == "wrong" for result, row in ours)


def main():
    options = parse_options()
    options.espalier = peers.find_espalier()
    earlier, load = load_earlier(options.earlier), os.getloadavg()[0]
    solvers = choose(options)
    if options.json:
        pathlib.Path(options.json).touch()
    results = list(run(options, solvers, earlier))
    if options.json:
        pathlib.Path(options.json).write_text(as_json(options, results), encoding="utf-8")
    print("\n" + peers.conditions(options, load) + "\n".join(indefinite_table.summary(results, options.ours, options.min_rows)))
    return int(failed(results))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
