#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulated factorizations against measured ones on this machine: the error of each, and by kind of task.

Usage: simulation.py [--espalier PROGRAM] [--sched NAMES] [--rounds N] [--repeat N] [--kinds] [MATRIX...]

Needs `espalier calibrate --coprocessors 1 --workers 1`, then `espalier calibrate --machine`, and the simulator. Each
case, of ranks x workers of each and a coprocessor or none, is measured, then simulated with what the warm runs have
taught the calibration. Errors are simulated over measured time, less 1. Exit code 0, 1 when a run failed, 2 for wrong
usage.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import programs

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"
MATRICES = ("laplace2d:300", "laplace2d:600", "laplace3d:20", "laplace3d:30", "laplace3d:40", "laplace3d:50",
            "elasticity3d:12x12x12", "elasticity3d:20x20x20")
CASES = ((1, 1, 0), (1, 2, 0), (2, 1, 0), (1, 1, 1))  # ranks, workers and coprocessors of each


def report_of(command):
    """What the program writes with --report."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        done = subprocess.run([*command, "--quiet", "--report", str(path)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise programs.RunFailed((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
        return json.loads(path.read_text())


def devices(coprocessors):
    return ["--coprocessors", str(coprocessors)] if coprocessors else []


def measured(options, matrix, policy, ranks, workers, coprocessors):
    """The least of the rounds' medians of warm runs, and the report of that round: for some seconds other programs may
    slow the machine down."""
    best = None
    for _ in range(options.rounds):
        report = report_of([*programs.launcher(ranks), options.espalier, "solve", matrix, "--sched", policy, "--workers",
                            str(workers), "--repeat", str(options.repeat), *devices(coprocessors)])
        median = statistics.median(report["factor"]["runs"][1:])
        if best is None or median < best[0]:
            best = (median, report)
    return best


def simulated(options, matrix, policy, ranks, workers, coprocessors):
    report = report_of([options.espalier, "simulate", matrix, "--sched", policy, "--nodes", str(ranks), "--workers",
                        str(workers), *devices(coprocessors)])
    return report["simulated"]["makespan_seconds"], report


def kinds_of(real, sim):
    """Seconds of each kind of task in the fastest run: measured, and simulated over that."""
    seconds = [{kind["kind"]: kind["seconds"] for kind in report["kinds"]} for report in (real, sim)]
    return " ".join(f"{kind} {seconds[1].get(kind, 0) / spent:.2f}" for kind, spent in seconds[0].items() if spent > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="*", default=MATRICES, metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--sched", default="espalier", metavar="NAMES", help="policies, separated by commas (espalier)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of the program for each case (3)")
    parser.add_argument("--repeat", type=int, default=8, help="factorizations in each run; the first is not counted (8)")
    parser.add_argument("--kinds", action="store_true", help="also simulated over measured seconds by kind of task")
    options = parser.parse_args()
    print(f"{'':26}{'policy':>10}{'ranks x workers + c.':>21}{'measured, s':>13}{'simulated, s':>14}{'error':>9}")
    errors = []
    failed = False
    for matrix in options.matrices:
        for ranks, workers, coprocessors in CASES:
            for policy in options.sched.split(","):
                case = f"{os.path.basename(matrix):<26}{policy:>10}{f'{ranks} x {workers} + {coprocessors}':>21}"
                try:
                    seconds, real = measured(options, matrix, policy, ranks, workers, coprocessors)
                    virtual, sim = simulated(options, matrix, policy, ranks, workers, coprocessors)
                except programs.RunFailed as error:
                    print(f"{case}  {error}", flush=True)
                    failed = True
                    continue
                errors.append(virtual / seconds - 1)
                print(f"{case}{seconds:13.5f}{virtual:14.5f}{100 * errors[-1]:+8.1f} %", flush=True)
                if options.kinds:
                    print(f"{'':28}{kinds_of(real, sim)}", flush=True)
    if errors:
        sizes = [abs(error) for error in errors]
        print(f"{len(sizes)} cases: median error {100 * statistics.median(sizes):.1f} %, largest {100 * max(sizes):.1f} %")
    return int(failed or not errors)


if __name__ == "__main__":
    sys.exit(main())
