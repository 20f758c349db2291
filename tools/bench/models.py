#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares predicted with measured times of whole factorizations and of their single tasks.

Usage: models.py [--espalier PROGRAM] [--workers 1,2] [--repeat K] [--rounds R] MATRIX...

Each column is the median over the rounds. Each round is a separate run, because in a single run the noise of the machine
changes the times of tasks as much as the errors of the models.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"


def report_of(program, command, folder):
    file = pathlib.Path(folder) / "report.json"
    subprocess.run([program, *command, "--quiet", "--report", file], check=True)
    return json.loads(file.read_text())


def round_of(program, matrix, workers, repeat, folder):
    """Returns predicted and measured seconds, the error of single tasks, and the source of the models."""
    report = report_of(program, ["solve", matrix, "--workers", workers, "--repeat", str(repeat)], folder)
    return (report["symbolic"]["predicted_factor_seconds"], statistics.median(report["factor"]["runs"]),
            report["tasks"]["prediction_error"], report["models"]["source"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--workers", default="1,2", help="numbers of workers, comma-separated (1,2)")
    parser.add_argument("--repeat", type=int, default=10, help="factorizations per run (10)")
    parser.add_argument("--rounds", type=int, default=5, help="runs (5)")
    options = parser.parse_args()
    print(f"{'matrix':28}{'workers':>8}{'predicted':>12}{'measured':>12}{'error':>8}{'tasks':>8}  models")
    with tempfile.TemporaryDirectory() as folder:
        for matrix in options.matrices:
            for workers in options.workers.split(","):
                rounds = [round_of(options.espalier, matrix, workers, options.repeat, folder)
                          for _ in range(options.rounds)]
                predicted, measured, tasks = (statistics.median(column) for column in list(zip(*rounds))[:3])
                error = statistics.median(round[0] / round[1] - 1 for round in rounds)
                print(f"{pathlib.Path(matrix).name:28}{workers:>8}{predicted:12.4f}{measured:12.4f}{error:8.0%}"
                      f"{tasks:8.0%}  {rounds[-1][3]}", flush=True)


if __name__ == "__main__":
    main()
