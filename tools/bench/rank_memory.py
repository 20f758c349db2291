#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the peak memory of each rank with the allowed memory: 1.3 (factor / P) + 2 (its part of A), on the root also the graph.

Usage: rank_memory.py [--espalier PROGRAM] [--ranks 1,2,4,8] MATRIX

The memory of the program itself is subtracted. It is measured as the peak of a run on as many ranks with a tiny matrix, in which
all parts of the program run. The exit code is 1 if a rank exceeds its allowed memory.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from programs import launcher

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"
MIB = 1 << 20
BYTES_AN_ENTRY = 12  # row and value
BYTES_AN_OFFSET = 8
NO_SIZE = "laplace3d:6"


def report_of(program, matrix, ranks, folder):
    file = pathlib.Path(folder) / "report.json"
    solve = [program, "solve", matrix, "--workers", "1", "--quiet", "--report", file]
    subprocess.run(launcher(ranks) + solve, check=True)
    return json.loads(file.read_text())


def ranks_of(report):
    """The values of a run on one rank, which the report has in other sections."""
    alone = {"rank": 0, "factor_bytes": report["memory"]["factor_bytes"], "entries": report["matrix"]["nnz_lower"],
             "peak_rss_bytes": report["memory"]["peak_rss_bytes"]}
    return report["ranks"] or [alone]


def graph_bytes(matrix):
    """Bytes of the graph: both triangles without the diagonal, numbers and offsets."""
    return 8 * (matrix["nnz_lower"] - matrix["n"]) + BYTES_AN_OFFSET * (matrix["n"] + 1)


def allowed_bytes(report, rank, count):
    part = BYTES_AN_ENTRY * rank["entries"] + BYTES_AN_OFFSET * report["matrix"]["n"] // count
    graph = graph_bytes(report["matrix"]) if rank["rank"] == 0 else 0
    return 1.3 * report["memory"]["factor_bytes"] / count + 2 * part + graph


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrix", metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--ranks", default="1,2,4,8", help="numbers of ranks, comma-separated (1,2,4,8)")
    options = parser.parse_args()
    print(f"{'ranks':>5}{'rank':>6}{'factor':>9}{'peak':>9}{'program':>9}{'rest':>9}{'allowed':>9}{'ratio':>7}   MiB")
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for count in map(int, options.ranks.split(",")):
            base = ranks_of(report_of(options.espalier, NO_SIZE, count, folder))
            report = report_of(options.espalier, options.matrix, count, folder)
            for rank, alone in zip(ranks_of(report), base):
                program = alone["peak_rss_bytes"]
                rest = rank["peak_rss_bytes"] - program
                allowed = allowed_bytes(report, rank, count)
                worst = max(worst, rest / allowed)
                sizes = rank["factor_bytes"], rank["peak_rss_bytes"], program, rest, allowed
                print(f"{count:>5}{rank['rank']:>6}" + "".join(f"{size / MIB:9.1f}" for size in sizes)
                      + f"{rest / allowed:7.2f}", flush=True)
    sys.exit(worst > 1)


if __name__ == "__main__":
    main()
