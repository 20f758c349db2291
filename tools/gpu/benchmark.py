#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Factors matrices under policies, with the CPU alone and with a CUDA device, and prints a table as it goes on.

Usage: benchmark.py PROGRAM FOLDER SECONDS [MATRIX...]

Each run has SECONDS at the most from the start of all; those that find no time are named. Reports, as JSON, and the
table, benchmark.csv, go to FOLDER. Without matrices: three generated ones, and flange.mtx.gz of the folder
ESPALIER_MATRICES where it is set.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import time

MATRICES = ["elasticity3d:40x40x40", "laplace3d:80", "stencil27:64"]
POLICIES = ["espalier", "fanout", "halo", "ktq", "dmdas", "lws"]
NEED_DEVICES = ["halo"]
REPEAT = 4
COLUMNS = ["matrix", "policy", "workers", "factor_s", "gflops", "offloaded", "backward_error"]


def run(program, folder, matrix, policy, devices, seconds):
    """The line of the table, or why there is none."""
    name = re.sub(r"[^\w.-]", "-", f"{pathlib.Path(matrix).name}-{policy}-{'cuda' if devices else 'cpu'}.json")
    command = [program, "solve", matrix, "--sched", policy, "--repeat", str(REPEAT), "--cuda-devices", str(devices),
               "--report", folder / name, "--quiet"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "not done in time"
    if done.returncode != 0:
        return f"failed with code {done.returncode}: {done.stderr.strip()}"
    report = json.loads((folder / name).read_text())
    machine = report["machine"]
    return [matrix, policy, f"{machine['cpu_workers']} CPU + {machine['cuda_workers']} CUDA",
            f"{report['factor']['seconds']:.4f}", f"{report['factor']['gflops']:.1f}",
            f"{report['offload']['fraction']:.3f}", f"{report['solution']['backward_error']:.1e}"]


def default_matrices():
    files = os.environ.get("ESPALIER_MATRICES")
    return ([f"{files}/flange.mtx.gz"] if files else []) + MATRICES


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    end = time.monotonic() + float(sys.argv[3])
    failures = 0
    with open(folder / "benchmark.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for matrix in sys.argv[4:] or default_matrices():
            for policy in POLICIES:
                for devices in (1,) if policy in NEED_DEVICES else (0, 1):
                    left = end - time.monotonic()
                    line = run(program, folder, matrix, policy, devices, left) if left > 0 else "no time left"
                    if isinstance(line, str):
                        failures += 1
                        print(f"{matrix}, {policy}, {devices} devices: {line}")
                        continue
                    table.writerow(line)
                    file.flush()
                    print("  ".join(f"{cell:>14}" for cell in line))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
