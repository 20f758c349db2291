#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulates the time to solution on 1 to many cores of a machine, and prints a line per problem and number of cores.

A simulation repeats the times of the factorization and the solve exactly. The times of the other phases follow from CPU times on this
machine, which other programs disturb. Therefore each case is simulated in several rounds, and every such phase has its minimum. The
scale of these phases is that of the description of the machine, unless --analysis-scale is given. On a processor of the described kind
it is 1. A rate is the operations of L over the time of the factorization. It is compared with that of a matrix product on all cores, at
the load of the machine. A time above 1.02 times that of fewer cores is marked with a star. The exit code is 0, 1 if a time is marked, or
2 for a usage error.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import peers

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINES = ROOT / "perfmodels" / "machines"
TABLES = ROOT / "perfmodels" / "tables"
PROBLEMS = ["laplace3d:30", "laplace3d:50", "elasticity3d:20x20x20", "laplace2d:1000", "irregular2d:1000000", "stencil27:40",
            "laplace3d:80", "elasticity3d:40x40x40"]
PHASES = ("ordering", "symbolic", "set-up", "factor", "solve", "residual")
SLOWER = 1.02


def numbers(text):
    return [int(word) for word in text.split(",")]


def parse_options():
    parser = argparse.ArgumentParser(prog="scaling.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", default=PROBLEMS, help="problems (" + ", ".join(PROBLEMS) + ")")
    parser.add_argument("--machine", default="epyc-128", choices=sorted(p.stem for p in MACHINES.glob("*.json")),
                        help="machine that comes with Espalier (epyc-128)")
    parser.add_argument("--workers", type=numbers, default=[1, 2, 4, 8, 16, 32, 64, 128], metavar="W,...",
                        help="numbers of cores (1,2,4,8,16,32,64,128)")
    parser.add_argument("--rounds", type=peers.positive, default=3, metavar="K", help="simulations of each case (3)")
    parser.add_argument("--analysis-scale", type=float, metavar="X",
                        help="time of an analysis on the described machine over its time on this one")
    return parser.parse_args()


def described(options):
    """The description of the machine, with the scale of the analysis that was asked for."""
    machine = json.loads((MACHINES / f"{options.machine}.json").read_text())
    if options.analysis_scale is not None:
        machine["analysis_scale"] = options.analysis_scale
    return machine


def load_at(machine, cores):
    """Factor on the time of tasks while this number of cores is busy."""
    points = [(1, 1.0)] + [(point[0], point[1]) for point in machine.get("load", [])]
    below = max((p for p in points if p[0] <= cores), key=lambda p: p[0])
    below = [p for p in points if p[0] == below[0]][-1]
    above = [p for p in points if p[0] > cores]
    if not above:
        return below[1]
    return below[1] + (above[0][1] - below[1]) * (cores - below[0]) / (above[0][0] - below[0])


def dense_rate(machine, cores):
    """Flop/s of a matrix product on this number of cores of the machine."""
    costs = machine["costs"]
    table = json.loads((TABLES / costs["table"]).read_text()) if "table" in costs else costs
    seconds = min(table["gemm_again"]["seconds_per_operation"]) * costs.get("scale", 1)
    return cores / (seconds * load_at(machine, cores))


def phases_of(run):
    factor, solve = run["factor"], run["solve"]
    return [run["ordering"]["seconds"], run["symbolic"]["seconds"], factor["setup_seconds"], factor["seconds"], solve["seconds"],
            solve["residual_seconds"]]


def simulated(options, machine, problem):
    """Returns the minimum seconds of each phase for each number of cores, and the operations for each."""
    least, flops = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        description, report = pathlib.Path(folder) / "machine.json", pathlib.Path(folder) / "report.json"
        description.write_text(json.dumps(machine))
        command = [str(peers.find_espalier()), "simulate", problem, "--machine", str(description), "--quiet", "--report", str(report),
                   "--workers", ",".join(map(str, options.workers))]
        for _ in range(options.rounds):
            subprocess.run(command, check=True)
            result = json.loads(report.read_text())
            for cores, run in zip(options.workers, result.get("runs", [result])):
                least[cores] = [min(pair) for pair in zip(phases_of(run), least.get(cores, phases_of(run)))]
                flops[cores] = run["symbolic"]["flops"]
    return least, flops


def main():
    options = parse_options()
    machine = described(options)
    print("| problem | cores | total | " + " | ".join(PHASES) + " | speed-up | Gflop/s | of dense |")
    print("| --- | --: | --: |" + " --: |" * (len(PHASES) + 3))
    any_slower = False
    for problem in options.problems:
        least, flops = simulated(options, machine, problem)
        first, fastest = sum(least[options.workers[0]]), float("inf")
        for cores in options.workers:
            total = sum(least[cores])
            slower = total > SLOWER * fastest
            any_slower |= slower
            fastest = min(fastest, total)
            rate = flops[cores] / least[cores][PHASES.index("factor")]
            cells = [problem, str(cores), f"{total * 1e3:.3g}{'*' if slower else ''}", *(f"{s * 1e3:.3g}" for s in least[cores]),
                     f"{first / total:.1f}", f"{rate / 1e9:.0f}", f"{rate / dense_rate(machine, cores):.2f}"]
            print("| " + " | ".join(cells) + " |", flush=True)
    return 1 if any_slower else 0


if __name__ == "__main__":
    sys.exit(main())
