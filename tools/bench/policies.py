#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the policy espalier with the best policy: on one and two workers, two ranks, and a worker with a coprocessor.

Usage: policies.py [--espalier PROGRAM] [--sched NAMES] [--place NAME]... [--repeat K] [--within SHARE] [--json FILE] [MATRIX...]

Each line is a matrix and a place. `espalier compare` runs the policies in turn. The minimum of many medians is biased
downwards. Therefore the even rounds time the best policy of the odd rounds, and the odd rounds time the best policy of the even
ones. The ratio is the geometric mean of both. The exit code is 0, 1 if a comparison failed (the others continue), or 2 for a
usage error.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"
PLACES = {"worker": ["--workers", "1"], "workers": ["--workers", "2"], "ranks": ["--ranks", "2", "--workers", "1"],
          "coprocessor": ["--workers", "1", "--coprocessors", "1"]}
MATRICES = ["laplace3d:30", "laplace3d:50", "elasticity3d:12x12x12", "elasticity3d:20x20x20", "irregular2d:100000"]
DEFAULT = "espalier"


def compared(program, matrix, place, options):
    """Returns the result of `compare` for a matrix at this place. Raises RuntimeError with its message."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "compared.json"
        command = [program, "compare", matrix, *place, "--sched", options.sched, "--repeat", str(options.repeat), "--quiet",
                   "--json", path]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"it ended with code {done.returncode}")
        return json.loads(path.read_text())["matrices"]


def place_of(machine):
    ranks, devices = machine["ranks"], machine["coprocessor_workers"]
    return f"{ranks} x {machine['cpu_workers'] // ranks}" + (f" + {devices}" if devices else "")


def medians(policies, parity):
    """Median of each policy's runs in the even (0) or odd (1) rounds."""
    return {policy["policy"]: statistics.median(run["seconds"] for run in policy["runs"] if run["round"] % 2 == parity)
            for policy in policies}


def line_of(one):
    """A matrix at a place: medians of the default and of the best policy, and the ratio of both."""
    seconds = {policy["policy"]: policy["seconds"] for policy in one["policies"]}
    best = min(seconds, key=seconds.get)
    halves = [medians(one["policies"], parity) for parity in (0, 1)]
    ratios = [timed[DEFAULT] / timed[min(chosen, key=chosen.get)] for chosen, timed in (halves, reversed(halves))]
    return {"matrix": one["matrix"]["name"], "place": place_of(one["machine"]), "seconds": seconds[DEFAULT], "best": best,
            "best_seconds": seconds[best], "ratio": math.sqrt(ratios[0] * ratios[1])}


def rounds(text):
    """Parses an even number, so that both halves have the same size."""
    count = int(text)
    if count < 2 or count % 2:
        raise argparse.ArgumentTypeError(f"{text} is not an even number of at least 2")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="*", metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--sched", default="own,lws,prio,dmdas", metavar="NAMES", help="policies, with espalier (own,lws,prio,dmdas)")
    parser.add_argument("--place", choices=PLACES, action="append", help="one place; may be repeated (all)")
    parser.add_argument("--repeat", type=rounds, default=6, metavar="K", help="rounds of each comparison, an even number (6)")
    parser.add_argument("--within", type=float, default=0.02, metavar="SHARE", help="relative difference that counts as near (0.02)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write the lines to FILE")
    options = parser.parse_args()
    if not {DEFAULT, "own", "all"} & set(options.sched.split(",")):
        parser.error(f"--sched must contain {DEFAULT}")
    print(f"{'':26}{'workers':>10}{DEFAULT + ', s':>13}{'best, s':>10}{'ratio':>8}  best", flush=True)
    lines, failed = [], False
    for matrix in options.matrices or MATRICES:
        for place in (PLACES[name] for name in options.place or PLACES):
            try:
                found = [line_of(one) for one in compared(options.espalier, matrix, place, options)]
            except RuntimeError as error:
                print(f"{matrix}, {' '.join(place)}: {error}", flush=True)
                failed = True
                continue
            for line in found:
                print(f"{line['matrix']:<26}{line['place']:>10}{line['seconds']:13.4f}{line['best_seconds']:10.4f}"
                      f"{line['ratio']:8.3f}  {line['best']}", flush=True)
            lines += found
    near = sum(line["ratio"] <= 1 + options.within for line in lines)
    print(f"{DEFAULT} is within {100 * options.within:g} % of the best in {near} of {len(lines)}")
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
