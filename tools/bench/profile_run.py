# SPDX-License-Identifier: BSD-3-Clause
"""Prints the distribution of the time of one run: phases, kinds of tasks, and functions that the workers execute."""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import peers

# Activity of a worker, by the function of a sample; the first pattern that fits counts.
ACTIVITIES = [
    ("update: products, scatter", r"TileUpdate"),
    ("update: loops, index maps", r"update_block|UpdateBlock|simd::.*update<|cpu::update"),
    ("potrf", r"potrf|DiagonalTile|factor_square|factor_block"),
    ("trsm", r"trsm|PanelTile|solve_columns"),
    ("solve", r"solve|multiply|Forward|Backward|gemv|trsv"),
    ("fill from A", r"\bfill(_from)?\b|memset|check_pivots"),
    ("assembly", r"Assemble|assemble"),
    ("index maps, subtree loops", r"SubtreeTask|UpdateTask|LeftLooking|merge_positions"),
]
LIBRARIES = [("BLAS", r"blas"), ("StarPU", r"starpu|hwloc"), ("memory pages, kernel", r"kernel|unknown")]
WORKER = re.compile(r"^CPU \d+")


def parse_options():
    parser = argparse.ArgumentParser(prog="profile.sh", description=__doc__,
                                     epilog="ESPALIER names the program (build/release/espalier).")
    parser.add_argument("matrix", help="matrix file or generated problem, as for espalier solve")
    parser.add_argument("--workers", type=peers.positive, default=1, metavar="N", help="CPU workers (1)")
    parser.add_argument("--repeat", type=peers.positive, default=20, metavar="K", help="factorizations (20)")
    return parser.parse_args()


def record(options, program, folder):
    """Runs the program under perf. Returns the report, and the samples as lines 'command<tab>library<tab>function'."""
    report = os.path.join(folder, "report.json")
    data = os.path.join(folder, "perf.data")
    run = [program, "solve", options.matrix, "--workers", str(options.workers), "--repeat", str(options.repeat), "--quiet",
           "--report", report]
    done = subprocess.run(["perf", "record", "-q", "-F", "2999", "-o", data, *run], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if not os.path.exists(report):
        sys.exit(f"profile.sh: perf or Espalier failed on {options.matrix}: {done.stderr.strip()}")
    listed = subprocess.run(["perf", "report", "-i", data, "--stdio", "-n", "--sort", "comm,dso,symbol", "-t", "\t"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return json.loads(pathlib.Path(report).read_text()), listed


def activity(library, function):
    for name, pattern in ACTIVITIES:
        if re.search(pattern, function):
            return name
    for name, pattern in LIBRARIES:
        if re.search(pattern, library):
            return name
    return "other"


def worker_samples(listed):
    """Samples of worker threads by activity, and of other threads by library."""
    workers, others = collections.Counter(), collections.Counter()
    for line in listed.splitlines():
        fields = [field.strip() for field in line.split("\t")]
        if line.startswith("#") or len(fields) < 5 or not fields[1].isdigit():
            continue
        count, command, library, function = int(fields[1]), fields[2], fields[3], fields[4]
        if WORKER.match(command):
            workers[activity(library, function)] += count
        else:
            others[library] += count
    return workers, others


def print_rows(title, rows, total):
    print(f"\n{title}")
    for name, value in rows:
        print(f"  {name:<28}{value:>10.4f} s{100 * value / total if total else 0:>7.1f} %")


def print_phases(report):
    factor = min(report["factor"]["runs"])
    phases = [("read", report["matrix"]["read_seconds"]), ("order", report["ordering"]["seconds"]),
              ("symbolic", report["symbolic"]["seconds"]), ("set-up", report["factor"]["setup_seconds"]),
              ("factor, fastest", factor), ("solve", report["solve"]["seconds"])]
    print_rows("phases", phases, sum(seconds for _, seconds in phases))
    return factor


def print_kinds(report, workers):
    """Prints the time of each kind of task in the fastest factorization. In the rest of the time, the workers ran StarPU or
    were idle."""
    left = min(report["factor"]["runs"]) * workers
    print("\ntasks of the fastest factorization")
    for kind in report["kinds"]:
        seconds = kind["seconds"]
        if kind["count"] == 0 or seconds == 0 or kind["kind"] in ("forward", "backward"):
            continue
        left -= seconds
        print(f"  {kind['kind']:<12}{kind['count']:>8}{seconds:>10.4f} s{kind['flops'] / seconds * 1e-9:>8.1f} Gflop/s")
    print(f"  {'runtime, idle':<20}{max(left, 0):>10.4f} s")


def print_widths(report):
    """Prints the last factorization by the width of source panels. Predicted shares divide the measured time of subtrees."""
    print("\nthe last factorization by the width of panels")
    total = sum(width["seconds"] for width in report["widths"])
    last = len(report["widths"]) - 1
    for number, width in enumerate(report["widths"]):
        columns = f"{width['least']} and more" if number == last else f"{width['least']} to {width['most']}"
        seconds = width["seconds"]
        print(f"  {columns:<12}{width['panels']:>8}{seconds:>10.4f} s{100 * seconds / total if total else 0:>7.1f} %"
              f"{width['flops'] / seconds * 1e-9 if seconds else 0:>8.1f} Gflop/s")


def main():
    options = parse_options()
    if not shutil.which("perf"):
        sys.exit("profile.sh: perf is missing; install Debian's package linux-perf")
    program = str(peers.find_espalier())
    with tempfile.TemporaryDirectory() as folder:
        report, listed = record(options, program, folder)
    rate = report["factor"]["gflops"]
    print(f"{options.matrix}: {options.workers} workers, {report['symbolic']['flops'] * 1e-9:.2f} Gflop, "
          f"nnz(L) {report['symbolic']['nnz_l']}, median {rate:.1f} Gflop/s; {report['machine']['blas']}")
    factor = print_phases(report)
    print_kinds(report, options.workers)
    print_widths(report)
    workers, others = worker_samples(listed)
    total = sum(workers.values())
    rows = [(name, factor * options.workers * count / total) for name, count in workers.most_common()] if total else []
    print_rows("activity of the workers, by samples of all factorizations, scaled to the fastest", rows,
               factor * options.workers)
    elsewhere = sum(others.values())
    if elsewhere:
        listing = ", ".join(f"{library} {100 * count / elsewhere:.0f} %" for library, count in others.most_common(4))
        print(f"\nthe main thread, mostly ordering: {listing}")


if __name__ == "__main__":
    main()
