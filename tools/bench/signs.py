#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares L J L^T, with given and with chosen signs, with L L^T on the same pattern: seconds of the factorization and of the
solve, and their ratios.

Usage: signs.py [--espalier PROGRAM] [--workers 1,2] [--rounds N] [--repeat N] MATRIX...

Each positive definite matrix becomes a quasi-definite one by random signs: the block of the negative signs is negated, and the
blocks between both signs stay. Both matrices are factored in turn. Times are medians of the factorizations of each run, and then
of the rounds. A ratio is L L^T over L J L^T, so 0.95 means that L J L^T has 0.95 of the rate. The exit code is 0, 1 if a run
failed, or 2 for a usage error.
"""
import argparse
import functools
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import programs

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"
PHASES = ("factor", "solve")
KINDS = ("given", "chosen")


def quasi_definite(lines, signs):
    """Yields the lines of a Matrix Market file with the block of the negative signs negated."""
    sizes = False
    for line in lines:
        if line.startswith("%") or not sizes:
            sizes = sizes or not line.startswith("%")
            yield line
            continue
        row, column, value = line.split()
        negated = signs[int(row) - 1] == signs[int(column) - 1] == -1
        yield f"{row} {column} {-float(value)!r}\n" if negated else line


def write_inputs(program, matrix, folder):
    """Writes the positive definite matrix, the quasi-definite one and its signs. Returns their paths."""
    paths = [str(pathlib.Path(folder) / name) for name in ("positive.mtx", "quasi_definite.mtx", "signs.txt")]
    subprocess.run([program, "generate", matrix, paths[0], "--quiet"], check=True)
    with open(paths[0]) as positive, open(paths[1], "w") as signed, open(paths[2], "w") as signs:
        n = next(int(line.split()[0]) for line in positive if not line.startswith("%"))
        positive.seek(0)
        chosen = random.Random(n).choices((1, -1), k=n)
        signed.writelines(quasi_definite(positive, chosen))
        signs.writelines(f"{sign}\n" for sign in chosen)
    return paths


def measured(options, matrix, workers):
    """Returns for each phase the median seconds of L L^T, and of L J L^T with given and with chosen signs."""
    with tempfile.TemporaryDirectory() as folder:
        positive, signed, signs = write_inputs(options.espalier, matrix, folder)
        run = functools.partial(programs.espalier, options.espalier, workers=workers, repeat=options.repeat)
        ldlt = ["--factorization", "ldlt"]
        kinds = [(run("llt"), positive, []), (run("given", options=[*ldlt, "--signs", signs]), signed, []),
                 (run("chosen", options=ldlt), signed, [])]
        for turn in range(options.rounds):
            for program, problem, found in kinds[::1 - 2 * (turn % 2)]:
                found.append(program.measure(problem))
    samples = [found for _, _, found in kinds]
    return {phase: [statistics.median(getattr(sample, phase) for sample in found) for found in samples] for phase in PHASES}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--workers", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2], help="(1,2)")
    parser.add_argument("--rounds", type=int, default=5, help="(5)")
    parser.add_argument("--repeat", type=int, default=7, help="factorizations per run (7)")
    options = parser.parse_args()
    print(f"{'':26}{'workers':>8}" + "".join(f"{phase + ', s':>14}{'':>32}" for phase in PHASES).rstrip())
    print(f"{'':26}{'':8}" + f"{'llt':>10}{'given':>10}{'ratio':>8}{'chosen':>10}{'ratio':>8}" * len(PHASES))
    ratios = {(workers, kind, phase): [] for workers in options.workers for kind in KINDS for phase in PHASES}
    failed = False
    for matrix in options.matrices:
        for workers in options.workers:
            try:
                times = measured(options, matrix, workers)
            except (programs.RunFailed, subprocess.CalledProcessError) as error:
                print(f"{os.path.basename(matrix):<26}{workers:8}  {error}", flush=True)
                failed = True
                continue
            line = f"{os.path.basename(matrix):<26}{workers:8}"
            for phase, (llt, *others) in times.items():
                line += f"{llt:10.5f}"
                for kind, seconds in zip(KINDS, others):
                    ratios[workers, kind, phase].append(llt / seconds)
                    line += f"{seconds:10.5f}{llt / seconds:8.3f}"
            print(line, flush=True)
    for (workers, kind, phase), found in ratios.items():
        if found:
            mean = math.exp(statistics.mean(map(math.log, found)))
            print(f"geometric mean, {kind} signs, {phase}, {workers} workers: {mean:.3f}; lowest {min(found):.3f}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
