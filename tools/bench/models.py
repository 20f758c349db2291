#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicted against measured time: of whole factorizations, and of their single tasks.

Usage: models.py [--espalier PROGRAM] [--workers 1,2] [--repeat K] MATRIX...
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--workers", default="1,2", help="numbers of workers, comma-separated (1,2)")
    parser.add_argument("--repeat", type=int, default=10, help="factorizations of a run (10)")
    options = parser.parse_args()
    print(f"{'matrix':28}{'workers':>8}{'predicted':>12}{'measured':>12}{'error':>8}{'tasks':>8}  models")
    with tempfile.TemporaryDirectory() as folder:
        for matrix in options.matrices:
            for workers in options.workers.split(","):
                report = report_of(options.espalier, ["solve", matrix, "--workers", workers, "--repeat",
                                                      str(options.repeat)], folder)
                predicted = report["symbolic"]["predicted_factor_seconds"]
                measured = statistics.median(report["factor"]["runs"])
                error = predicted / measured - 1
                print(f"{pathlib.Path(matrix).name:28}{workers:>8}{predicted:12.4f}{measured:12.4f}{error:8.0%}"
                      f"{report['tasks']['prediction_error']:8.0%}  {report['models']['source']}", flush=True)


if __name__ == "__main__":
    main()
