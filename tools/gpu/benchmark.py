#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures factorizations on the CPU alone, with a CUDA device and with cuDSS, and prints a table line by line. The runs with a
device use panels and tiles, one, two and four workers of the device, and several policies. cuDSS needs its PROGRAM.

Usage: benchmark.py [--cudss PROGRAM] PROGRAM FOLDER SECONDS [MATRIX...]

The benchmark takes at most SECONDS; runs without time left are listed. The reports (JSON) and the table (benchmark.csv)
go to FOLDER. The default matrices are two generated ones and, if ESPALIER_MATRICES is set, flange.mtx.gz in that folder.
"""
import argparse
import csv
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import time

MATRICES = ["elasticity3d:40x40x40", "laplace3d:80"]
POLICIES = ["espalier", "dmdas", "halo", "fanout"]
GRANULARITIES = ["panel", "tile"]
WORKERS_OF_A_DEVICE = [2, 1, 4]
REPEAT = 4
COLUMNS = ["matrix", "policy", "granularity", "workers", "factor_s", "gflops", "offloaded", "error"]


def file_name(*words):
    return "-".join(re.sub(r"[^\w.-]", "-", str(word)) for word in words) + ".json"


class Failed(Exception):
    """The reason why a line of the table is missing."""


def output_of(command, seconds, **variables):
    if seconds <= 0:
        raise Failed("no time left")
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds, env=dict(os.environ, **variables))
    except subprocess.TimeoutExpired:
        raise Failed("not done in time") from None
    if done.returncode != 0:
        raise Failed(f"failed with code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Benchmark:
    def __init__(self, program, cudss, folder, seconds):
        self.program, self.cudss, self.folder = program, cudss, folder
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()

    def solved(self, matrix, policy, granularity, workers):
        """Returns a line of the table. `workers` is the number of workers of the device, 0 for the CPU alone."""
        report = self.folder / file_name(pathlib.Path(matrix).name, policy, granularity, workers)
        output_of([self.program, "solve", matrix, "--sched", policy, "--granularity", granularity, "--repeat", REPEAT,
                   "--cuda-devices", min(workers, 1), "--report", report, "--quiet"], self.left(),
                  STARPU_NWORKER_PER_CUDA=str(max(workers, 1)))
        r = json.loads(report.read_text())
        return [matrix, policy, granularity, f"{r['machine']['cpu_workers']} CPU + {r['machine']['cuda_workers']} CUDA",
                f"{r['factor']['seconds']:.4f}", f"{r['factor']['gflops']:.1f}", f"{r['offload']['fraction']:.3f}",
                f"{r['solution']['backward_error']:.1e}"]

    def solved_by_cudss(self, matrix):
        file = self.folder / "matrix.mtx"
        output_of([self.program, "generate", matrix, file], self.left())
        r = json.loads(output_of([self.cudss, file, REPEAT], self.left()))
        file.unlink()
        (self.folder / file_name(matrix, "cudss")).write_text(json.dumps(r))
        return [matrix, "cuDSS", "", "CUDA", f"{r['factor_s']:.4f}", "", "1", f"{r['error']:.1e}"]

    def cases(self, matrix):
        """Yields a name and a function per run, the most important runs first."""
        yield f"{matrix}, the CPU alone", lambda: self.solved(matrix, "espalier", "auto", 0)
        if self.cudss and not pathlib.Path(matrix).exists():
            yield f"{matrix}, cuDSS", lambda: self.solved_by_cudss(matrix)
        for workers, granularity, policy in itertools.product(WORKERS_OF_A_DEVICE, GRANULARITIES, POLICIES):
            yield (f"{matrix}, {policy}, {granularity}, {workers} workers of the device",
                   lambda p=policy, g=granularity, w=workers: self.solved(matrix, p, g, w))

    def run(self, matrices):
        """Measures and prints all lines. Returns the number of missing lines."""
        failures = 0
        with open(self.folder / "benchmark.csv", "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for name, measure in itertools.chain.from_iterable(map(self.cases, matrices)):
                try:
                    line = measure()
                except Failed as failure:
                    failures += 1
                    print(f"{name}: {failure}")
                    continue
                table.writerow(line)
                file.flush()
                print("  ".join(f"{cell:>14}" for cell in line))
        return failures


def default_matrices():
    files = os.environ.get("ESPALIER_MATRICES")
    return ([f"{files}/flange.mtx.gz"] if files else []) + MATRICES


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--cudss", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("matrix", nargs="*")
    given = parser.parse_args()
    benchmark = Benchmark(given.program.resolve(), given.cudss and given.cudss.resolve(), given.folder, given.seconds)
    return 1 if benchmark.run(given.matrix or default_matrices()) else 0


if __name__ == "__main__":
    sys.exit(main())
