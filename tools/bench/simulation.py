#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares simulated factorizations with measured ones on this machine: the error of each case, and of each kind of task.

Usage: simulation.py [--espalier PROGRAM] [--sched NAMES] [--rounds N] [--passes N] [--repeat N] [--seconds S]
                     [--no-calibration] [--kinds] [MATRIX...]

It needs the simulator. Each round first calibrates this machine (`espalier calibrate --machine`, then
`espalier calibrate --coprocessors 1 --workers 1`), because the speed of a shared machine changes from minute to minute. This
overwrites the user's calibration. A case has a number of ranks, workers per rank, and a coprocessor or none. Each pass measures
each case once, and simulates it immediately with the calibration that the runs have refined.

A measurement is the median of the second half of the factorizations of one run, because the threads settle on their cores during the
first half. A run takes at least half a second, because threads may need many short factorizations to settle.

The error of a pass is simulated / measured time - 1. The error of a case is the median over all passes. The error at equal speed
compares the simulation with the fastest factorization of a run. Before that, the simulated times are scaled so that the sum over all
tasks equals the measured sum. This is the error of the schedule; the rest is the error of the calibrated costs. The noise is the
relative difference of the slowest and the fastest measurement. With several policies, the last line lists pairs of policies that the
simulation orders differently. The exit code is 0, 1 if a run failed, or 2 for a usage error.
"""
import argparse
import json
import math
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
CASES = ((1, 1, 0), (1, 2, 0), (2, 1, 0), (1, 1, 1))  # ranks, workers and coprocessors of each case


def report_of(command):
    """Runs the program and returns its report."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        done = subprocess.run([*command, "--quiet", "--report", str(path)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise programs.RunFailed((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
        return json.loads(path.read_text())


def devices(coprocessors):
    return ["--coprocessors", str(coprocessors)] if coprocessors else []


def calibrate(espalier):
    """Calibrates this machine with a coprocessor, and writes its description for simulations."""
    for options in (["--machine"], ["--coprocessors", "1", "--workers", "1"]):
        done = subprocess.run([espalier, "calibrate", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise programs.RunFailed(done.stderr.strip() or f"espalier calibrate ended with {done.returncode}")


def measured(options, case, repeat):
    """Median of the second half of the factorizations of a run, and the report."""
    matrix, policy, ranks, workers, coprocessors = case
    report = report_of([*programs.launcher(ranks), options.espalier, "solve", matrix, "--sched", policy, "--workers",
                        str(workers), "--repeat", str(repeat), *devices(coprocessors)])
    return statistics.median(report["factor"]["runs"][repeat // 2:]), report


def repetitions(options, case):
    """Number of factorizations of the case that fill the minimum time of a measurement, but at least the number of
    --repeat."""
    seconds, _ = measured(options, case, 4)
    return max(options.repeat, math.ceil(options.seconds / seconds))


def simulated(options, case):
    matrix, policy, ranks, workers, coprocessors = case
    report = report_of([options.espalier, "simulate", matrix, "--sched", policy, "--nodes", str(ranks), "--workers",
                        str(workers), *devices(coprocessors)])
    return report["simulated"]["makespan_seconds"], report


def busy_seconds(report):
    """Sum of the seconds of all tasks."""
    return sum(kind["seconds"] for kind in report["kinds"])


def error_at_equal_speed(real, sim):
    """Error at equal speed: the simulated makespan is scaled by the measured over the simulated sum of task times."""
    makespan = sim["simulated"]["makespan_seconds"] * busy_seconds(real) / busy_seconds(sim)
    return makespan / min(real["factor"]["runs"]) - 1


def costs_by_kind(report):
    """Seconds per operation in the fastest run, or per task if the kind has no operations. Kinds on devices are separate."""
    return {kind["kind"] + ("" if kind["worker"] == "cpu" else " (device)"):
            kind["seconds"] / (kind["flops"] or kind["count"]) for kind in report["kinds"] if kind["count"]}


def kinds_of(real, sim):
    """Simulated over measured cost of each kind of task that both runs have."""
    there, virtual = costs_by_kind(real), costs_by_kind(sim)
    return ", ".join(f"{kind} {virtual[kind] / there[kind]:.2f}" for kind in there if kind in virtual)


class Comparison:
    """Results of all passes for one case."""

    def __init__(self, case):
        self.case = case
        self.measured = []
        self.simulated = []
        self.at_equal_speed = []
        self.kinds = ""
        self.failure = ""
        self.repeat = 0

    def add_pass(self, options):
        """Measures and simulates the case once, unless it has failed before."""
        if self.failure:
            return
        try:
            self.repeat = self.repeat or repetitions(options, self.case)
            seconds, real = measured(options, self.case, self.repeat)
            virtual, sim = simulated(options, self.case)
        except programs.RunFailed as error:
            self.failure = str(error)
            return
        self.measured.append(seconds)
        self.simulated.append(virtual)
        self.at_equal_speed.append(error_at_equal_speed(real, sim))
        self.kinds = kinds_of(real, sim)

    def error(self):
        return statistics.median(virtual / seconds - 1 for seconds, virtual in zip(self.measured, self.simulated))

    def schedule_error(self):
        return statistics.median(self.at_equal_speed)

    def lines(self, with_kinds):
        matrix, policy, ranks, workers, coprocessors = self.case
        name = f"{os.path.basename(matrix):<26}{policy:>10}{f'{ranks} x {workers} + {coprocessors}':>21}"
        if self.failure:
            return f"{name}  {self.failure}"
        noise = max(self.measured) / min(self.measured) - 1
        line = (f"{name}{statistics.median(self.measured):13.5f}{statistics.median(self.simulated):14.5f}"
                f"{100 * self.error():+8.1f} %{100 * self.schedule_error():+14.1f} %{100 * noise:8.1f} %")
        return f"{line}\n{'':28}{self.kinds}" if with_kinds else line


def summary(comparisons, error):
    sizes = [100 * abs(error(comparison)) for comparison in comparisons]
    return f"median error {statistics.median(sizes):.1f} %, largest {max(sizes):.1f} %"


def wrong_orders(comparisons):
    """Pairs of policies whose measured times differ by 5 %, the faster one first, and whose simulated times have another order."""
    pairs = []
    for first in comparisons:
        for second in comparisons:
            same_case = (first.case[0], first.case[2:]) == (second.case[0], second.case[2:])
            if not same_case or first.failure or second.failure:
                continue
            clear = statistics.median(second.measured) > 1.05 * statistics.median(first.measured)
            if clear and statistics.median(second.simulated) <= statistics.median(first.simulated):
                pairs.append(f"{first.case[1]} before {second.case[1]} ({os.path.basename(first.case[0])}, {first.case[2]} x {first.case[3]})")
    return pairs


def options_of_command_line():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="*", default=MATRICES, metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--sched", default="espalier", metavar="NAMES", help="policies, separated by commas (espalier)")
    parser.add_argument("--rounds", type=int, default=3, help="calibrations, each with a run of all cases (3)")
    parser.add_argument("--passes", type=int, default=3, help="measurements and simulations of each case in a round (3)")
    parser.add_argument("--repeat", type=int, default=8, help="minimum number of factorizations per run; the first half is not counted (8)")
    parser.add_argument("--seconds", type=float, default=0.5, help="minimum seconds of factorizations per run (0.5)")
    parser.add_argument("--no-calibration", action="store_true", help="use the existing calibration in all rounds")
    parser.add_argument("--kinds", action="store_true", help="also simulated over measured costs by kind of task")
    return parser.parse_args()


def main():
    options = options_of_command_line()
    comparisons = [Comparison((matrix, policy, *case)) for matrix in options.matrices for case in CASES
                   for policy in options.sched.split(",")]
    for turn in range(options.rounds):
        print(f"round {turn + 1} of {options.rounds}", file=sys.stderr, flush=True)
        try:
            if not options.no_calibration:
                calibrate(options.espalier)
        except programs.RunFailed as error:
            sys.exit(f"simulation.py: {error}")
        for _ in range(options.passes):
            for comparison in comparisons:
                comparison.add_pass(options)
    print(f"{'':26}{'policy':>10}{'ranks x workers + c.':>21}{'measured, s':>13}{'simulated, s':>14}{'error':>10}{'at equal speed':>16}{'noise':>10}")
    for comparison in comparisons:
        print(comparison.lines(options.kinds))
    done = [comparison for comparison in comparisons if not comparison.failure]
    if done:
        print(f"{len(done)} cases: {summary(done, Comparison.error)}; at equal speed {summary(done, Comparison.schedule_error)}")
    if "," in options.sched:
        pairs = wrong_orders(comparisons)
        print(f"policies whose measured times differ by 5 % and whose simulated times have another order: {', '.join(pairs) or 'none'}")
    return int(len(done) < len(comparisons))


if __name__ == "__main__":
    sys.exit(main())
