#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares several ranks of one worker each with one rank with as many workers: seconds, and the ratio of one rank to several.

Usage: ranks.py [--espalier PROGRAM] [--ranks P] [--rounds N] [--repeat N] MATRIX...

The two cases run in turn. Times are medians of the factorizations of each run, and then of the rounds. The exit code is 0, 1
if a run failed, or 2 for a usage error or without mpirun.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import sys

import programs

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"
PHASES = ("factor", "solve")


def measured(one, several, matrix, rounds):
    """Medians for each phase: the seconds of one rank and of several ranks."""
    samples = ([], [])
    for turn in range(rounds):
        order = ((one, samples[0]), (several, samples[1]))
        for program, found in order[::1 - 2 * (turn % 2)]:
            found.append(program.measure(matrix))
    return {phase: [statistics.median(getattr(sample, phase) for sample in found) for found in samples]
            for phase in PHASES}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--ranks", type=int, default=2, help="number of ranks, and of workers of the one rank (2)")
    parser.add_argument("--rounds", type=int, default=5, help="(5)")
    parser.add_argument("--repeat", type=int, default=7, help="factorizations per run (7)")
    options = parser.parse_args()
    if shutil.which("mpirun") is None:
        print("ranks.py: mpirun is not on the PATH; install Open MPI, or add its folder to PATH", file=sys.stderr)
        return 2
    count = options.ranks
    one = programs.espalier(options.espalier, "one rank", count, options.repeat)
    several = programs.espalier(options.espalier, "several ranks", 1, options.repeat, ranks=count)
    print((f"{'':26}" + "".join(f"{phase + ', s':>14}{'':>17}" for phase in PHASES)).rstrip())
    print((f"{'':26}" + f"{f'1 x {count}':>10}{f'{count} x 1':>10}{'ratio':>8}   " * len(PHASES)).rstrip())
    failed = False
    for matrix in options.matrices:
        name = os.path.basename(matrix)
        try:
            times = measured(one, several, matrix, options.rounds)
        except programs.RunFailed as error:
            print(f"{name:<26}{error}", flush=True)
            failed = True
            continue
        cells = (f"{a:10.4f}{b:10.4f}{a / b:8.2f}" for a, b in times.values())
        print(f"{name:<26}" + "   ".join(cells), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
