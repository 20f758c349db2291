#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Factors matrices with the CPU alone and with a CUDA device, by panels and by tiles, with one and four workers of the device,
under several policies, and with cuDSS where a program for that is given; prints a table as it goes on.

Usage: benchmark.py [--cudss PROGRAM] PROGRAM FOLDER SECONDS [MATRIX...]

Each run has SECONDS at the most from the start of all; those that find no time are named. Reports, as JSON, and the
table, benchmark.csv, go to FOLDER. Without matrices: two generated ones, and flange.mtx.gz of the folder
ESPALIER_MATRICES where it is set.
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
    """Why there is no line of the table."""


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
        """`workers` are those of the device, 0 for the CPU alone."""
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
        """Each as a name and what to call: those that are asked for most often come first."""
        yield f"{matrix}, the CPU alone", lambda: self.solved(matrix, "espalier", "auto", 0)
        if self.cudss and not pathlib.Path(matrix).exists():
            yield f"{matrix}, cuDSS", lambda: self.solved_by_cudss(matrix)
        for workers, granularity, policy in itertools.product(WORKERS_OF_A_DEVICE, GRANULARITIES, POLICIES):
            yield (f"{matrix}, {policy}, {granularity}, {workers} workers of the device",
                   lambda p=policy, g=granularity, w=workers: self.solved(matrix, p, g, w))

    def run(self, matrices):
        """Returns how many lines the table lacks."""
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
