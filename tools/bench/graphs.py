#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the task graphs of twenty generated matrices, and of those in the folder ESPALIER_MATRICES, as files for studies of scheduling.

Usage: graphs.py [--espalier PROGRAM] [--format json|dot|rec] [--workers W] [--only TEXT] FOLDER

Each file is FOLDER/MATRIX-GRANULARITY.FORMAT, from espalier analyze --graph. The table has for each graph the rows of the matrix, the
tasks, the edges, the tasks of the widest level, the work, the critical path, and the parallelism, which is work / critical path. The exit
code is 0, 1 if a graph failed (the others are still written), or 2 for a usage error.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"
# From small to large by the number of tasks. The granularity is the unit of a task.
GRAPHS = [("laplace3d:8", "panel"), ("laplace3d:12", "panel"), ("laplace3d:16", "tile"), ("elasticity3d:8x8x8", "tile"),
          ("elasticity3d:5x5x5", "block"), ("stencil27:8", "block"), ("elasticity3d:16x16x16", "tile"), ("stencil27:20", "tile"),
          ("laplace2d:200", "tile"), ("laplace3d:30", "tile"), ("laplace3d:8", "block"), ("irregular2d:2000", "block"),
          ("elasticity3d:8x8x8", "block"), ("laplace3d:12", "block"), ("laplace2d:60", "block"), ("laplace3d:16", "block"),
          ("irregular2d:10000", "block"), ("laplace3d:20", "block"), ("irregular2d:40000", "block"), ("laplace2d:200", "block")]
HEADER = ["matrix", "granularity", "n", "tasks", "edges", "width", "work", "path", "parallelism"]
WIDTHS = [24, 12, 9, 9, 10, 8, 10, 10, 12]


def matrices_of_user():
    """Returns the files of the folder ESPALIER_MATRICES, with tasks on tiles."""
    folder = os.environ.get("ESPALIER_MATRICES")
    endings = (".mtx", ".rb", ".rsa", ".psa", ".gz")
    return [(str(path), "tile") for path in sorted(pathlib.Path(folder).iterdir()) if path.name.endswith(endings)] if folder else []


def file_name(matrix, granularity, ending):
    stem = pathlib.Path(matrix).name if os.path.exists(matrix) else matrix
    return f"{stem.replace(':', '-')}-{granularity}.{ending}"


def write_graph(program, matrix, granularity, workers, path):
    """Writes a graph. Returns its summary, or raises RuntimeError with the message of the program."""
    options = ["--granularity", granularity, "--workers", str(workers), "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        described = path if path.suffix == ".json" else pathlib.Path(folder) / "graph.json"
        for file in dict.fromkeys([described, path]):
            done = subprocess.run([program, "analyze", matrix, *options, "--graph", file], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip() or f"it ended with code {done.returncode}")
        with open(described, encoding="utf-8") as text:
            graph = json.load(text)
    return {"n": graph["matrix"]["n"], **graph["summary"]}


def line_of(cells):
    return "".join(cell.ljust(width) if k < 2 else cell.rjust(width) for k, (cell, width) in enumerate(zip(cells, WIDTHS)))


def cells_of(summary):
    work, path = summary["work_seconds"], summary["critical_path_seconds"]
    return [f"{summary[key]}" for key in ("n", "tasks", "edges", "widest_level")] + [
        f"{1e3 * work:.2f} ms", f"{1e3 * path:.2f} ms", f"{work / path if path > 0 else 0:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--format", choices=("json", "dot", "rec"), default="json", help="format of the files (json)")
    parser.add_argument("--workers", type=int, default=8, metavar="W", help="workers that the plans assume (8)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only graphs whose file names contain TEXT")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(line_of(HEADER))
    failed = False
    for matrix, granularity in GRAPHS + matrices_of_user():
        path = options.folder / file_name(matrix, granularity, options.format)
        if options.only not in path.name:
            continue
        name = [pathlib.Path(matrix).name, granularity]
        try:
            print(line_of(name + cells_of(write_graph(options.espalier, matrix, granularity, options.workers, path))), flush=True)
        except (RuntimeError, OSError) as error:
            print(f"{' '.join(name)}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
