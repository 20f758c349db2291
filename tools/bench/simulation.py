#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulated factorizations against measured ones on this machine: the error of each, and by kind of task.

Usage: simulation.py [--espalier PROGRAM] [--sched NAMES] [--rounds N] [--passes N] [--repeat N] [--seconds S]
                     [--no-calibration] [--kinds] [MATRIX...]

Needs the simulator. Each round calibrates this machine anew (`espalier calibrate --machine`, then
`espalier calibrate --coprocessors 1 --workers 1`: the user's calibration is overwritten), because the speed of a machine that others share
changes from minute to minute. Then each case, of ranks x workers of each and a coprocessor or none, is measured once
in each pass over all cases, and at once simulated with what the warm runs have taught the calibration until then. A
measurement is the median of the second half of the factorizations of one run: in the first half the threads find their
cores, and where that is a matter of milliseconds, a run has as many factorizations as fill half a second. The error of
a pass is simulated over measured time, less 1; that of a case is the median of all its passes. Beside it stands the error
at equal speed: of the fastest factorization of a run, once the simulated tasks take as long in sum as its tasks did. It
says whether the schedule is right; what the former has beyond it, the calibrated costs have. The noise is how much longer
the slowest measurement was than the fastest. With several policies, says which ones the simulation has in another order
than the measurement. Exit code 0, 1 when a run failed, 2 for wrong usage.
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


def calibrate(espalier):
    """Calibrates this machine with a coprocessor, and describes it for simulations."""
    for options in (["--machine"], ["--coprocessors", "1", "--workers", "1"]):
        done = subprocess.run([espalier, "calibrate", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise programs.RunFailed(done.stderr.strip() or f"espalier calibrate ended with {done.returncode}")


def measured(options, case, repeat):
    """The median of the second half of the factorizations of a run of the program, and the report of its fastest one."""
    matrix, policy, ranks, workers, coprocessors = case
    report = report_of([*programs.launcher(ranks), options.espalier, "solve", matrix, "--sched", policy, "--workers",
                        str(workers), "--repeat", str(repeat), *devices(coprocessors)])
    return statistics.median(report["factor"]["runs"][repeat // 2:]), report


def repetitions(options, case):
    """How many factorizations of the case fill the time of a measurement, at least as many as the options ask for."""
    seconds, _ = measured(options, case, 4)
    return max(options.repeat, math.ceil(options.seconds / seconds))


def simulated(options, case):
    matrix, policy, ranks, workers, coprocessors = case
    report = report_of([options.espalier, "simulate", matrix, "--sched", policy, "--nodes", str(ranks), "--workers",
                        str(workers), *devices(coprocessors)])
    return report["simulated"]["makespan_seconds"], report


def busy_seconds(report):
    """Seconds that the tasks took in sum."""
    return sum(kind["seconds"] for kind in report["kinds"])


def error_at_equal_speed(real, sim):
    """That of the simulated makespan, once its tasks take as long in sum as those of the fastest factorization did."""
    makespan = sim["simulated"]["makespan_seconds"] * busy_seconds(real) / busy_seconds(sim)
    return makespan / min(real["factor"]["runs"]) - 1


def costs_by_kind(report):
    """Seconds an operation, or a task where it has none, in the fastest run; kinds on devices apart."""
    return {kind["kind"] + ("" if kind["worker"] == "cpu" else " (device)"):
            kind["seconds"] / (kind["flops"] or kind["count"]) for kind in report["kinds"] if kind["count"]}


def kinds_of(real, sim):
    """Simulated over measured costs of each kind of task that both have."""
    there, virtual = costs_by_kind(real), costs_by_kind(sim)
    return ", ".join(f"{kind} {virtual[kind] / there[kind]:.2f}" for kind in there if kind in virtual)


class Comparison:
    """What the passes have found of one case."""

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
    """Pairs of policies that differ by 5 % in a case as measured, the faster first, and not that way as simulated."""
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
    parser.add_argument("--repeat", type=int, default=8, help="fewest factorizations in a run; the first half is not counted (8)")
    parser.add_argument("--seconds", type=float, default=0.5, help="and that many seconds of factorizations at least (0.5)")
    parser.add_argument("--no-calibration", action="store_true", help="use the calibration that there is in all rounds")
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
        print(f"policies that differ by 5 % measured, and not in that order simulated: {', '.join(pairs) or 'none'}")
    return int(len(done) < len(comparisons))


if __name__ == "__main__":
    sys.exit(main())
