#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares Espalier with CHOLMOD on random matrices with dense cores, hubs and long-range edges: the processor time and
the peak memory of the whole program, from the file to the solution. Espalier also runs without amalgamation. Espalier should
take at most 1.1 times the time of both, and at most 1.1 times their memory plus 25 MB. If a matrix misses one of these
goals, it is run in three times as many rounds, and the medians of all of them decide."""
import argparse
import dataclasses
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import peers
import random_graphs

SIZES = range(6)
MOST_TIME = 1.1
MOST_MEMORY = 1.1
MEMORY_BESIDE = 25e6  # bytes
ROUNDS_FACTOR = 3  # if a goal is missed
EPILOG = """
PEERS names a folder with peer_cholmod, ESPALIER the program (default: build/release/espalier). The exit code is 0, 1 if
a goal is missed or a program failed, or 2 for a usage error.
"""


@dataclasses.dataclass
class Usage:
    """Cost of one run of a program: seconds of processor time, and peak memory in bytes."""

    seconds: float
    peak: float


def parse_options():
    parser = argparse.ArgumentParser(prog="families.py", description=__doc__, epilog=EPILOG)
    parser.add_argument("families", nargs="*", metavar="FAMILY", default=[],
                        help="kinds of matrices (all of " + ", ".join(random_graphs.FAMILIES) + ")")
    parser.add_argument("--sizes", type=int, nargs="+", choices=SIZES, default=list(SIZES), metavar="S",
                        help="sizes of each kind, from 0 to 5 (all)")
    parser.add_argument("--rounds", type=peers.positive, default=3, metavar="K",
                        help="runs of each program on each matrix, in turn (3)")
    parser.add_argument("--threads", type=peers.positive, default=2, metavar="N", help="workers of Espalier and threads of CHOLMOD (2)")
    options = parser.parse_args()
    unknown = [name for name in options.families if name not in random_graphs.FAMILIES]
    if unknown:
        parser.error(f"there is no kind {unknown[0]}; there are " + ", ".join(random_graphs.FAMILIES))
    options.families = options.families or list(random_graphs.FAMILIES)
    return options


def commands(options):
    """The programs by name: the command without the matrix."""
    folder = os.environ.get("PEERS", "")
    cholmod = pathlib.Path(folder) / "peer_cholmod"
    if not folder or not os.access(cholmod, os.X_OK):
        peers.say("PEERS does not name a folder with a program peer_cholmod")
        sys.exit(2)
    ours = [str(peers.find_espalier()), "solve", "--quiet", "--workers", str(options.threads)]
    return {"espalier": ours, "unmerged": [*ours, "--amalgamation-zeros", "0,0,0,0"], "cholmod": [str(cholmod)]}


def environment(threads):
    """Environment of the programs: CHOLMOD factors once, and OpenBLAS has this many threads."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    return dict(os.environ, REPEATS="1", ORDERING="metis", **dict.fromkeys(names, str(threads)))


def generate(family, size, path):
    """Writes the matrix in a separate process, because the peak memory of a child includes that of its parent."""
    process = multiprocessing.Process(target=random_graphs.write, args=(family, size, path))
    process.start()
    process.join()
    if process.exitcode != 0:
        sys.exit(f"families: {family}-{size} could not be written")


def run(command, threads):
    """Returns the cost of the command. If the command failed, prints a line with the reason and returns None."""
    process = subprocess.Popen(command, env=environment(threads), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        peers.say(f"exit code {process.returncode}: {' '.join(command)}")
        return None
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def add_round(matrix, programs, threads, turn, samples):
    """Runs every program once and adds its cost to the samples. Each turn begins with the next program. A program
    that fails is removed from the samples."""
    order = list(programs)[turn % len(programs):] + list(programs)[:turn % len(programs)]
    for name in order:
        if name in samples:
            used = run([*programs[name], matrix], threads)
            if used:
                samples[name].append(used)
            else:
                del samples[name]


def medians(samples):
    """Returns the median time and the median of the peak memory of each program, by name."""
    return {name: Usage(statistics.median(s.seconds for s in used), statistics.median(s.peak for s in used))
            for name, used in samples.items()}


def measure(matrix, programs, options):
    """Returns the median cost of each program by name, without programs that failed. If the medians miss a goal, it
    adds rounds up to ROUNDS_FACTOR times as many, because runs of a tenth of a second differ by a third."""
    samples = {name: [] for name in programs}
    for turn in range(options.rounds):
        add_round(matrix, programs, options.threads, turn, samples)
    if len(samples) == len(programs) and misses(medians(samples)):
        for turn in range(options.rounds, ROUNDS_FACTOR * options.rounds):
            add_round(matrix, programs, options.threads, turn, samples)
    return medians(samples)


def misses(used):
    """The goals that a matrix misses, as words."""
    ours, unmerged, theirs = (used[name] for name in ("espalier", "unmerged", "cholmod"))
    found = []
    if ours.seconds > MOST_TIME * theirs.seconds:
        found.append("time")
    if ours.peak > MOST_MEMORY * theirs.peak + MEMORY_BESIDE:
        found.append("memory")
    if ours.seconds > MOST_TIME * unmerged.seconds:
        found.append("unmerged time")
    if ours.peak > MOST_MEMORY * unmerged.peak + MEMORY_BESIDE:
        found.append("unmerged memory")
    return found


def line(name, used):
    ours, unmerged, theirs = (used[program] for program in ("espalier", "unmerged", "cholmod"))
    return (f"{name:22s} {ours.seconds:8.3f} {theirs.seconds:8.3f} {ours.seconds / theirs.seconds:6.2f} "
            f"{ours.seconds / unmerged.seconds:6.2f}  {ours.peak / 1e6:8.1f} {theirs.peak / 1e6:8.1f} "
            f"{ours.peak / theirs.peak:6.2f} {ours.peak / unmerged.peak:6.2f}  {', '.join(misses(used))}")


def main():
    options = parse_options()
    programs = commands(options)
    ratios, failed, missed = [], 0, 0
    print("                        processor time, s    over over       memory, MB         over over")
    print("matrix                     ours  cholmod cholmod unmerged   ours  cholmod cholmod unmerged  missed")
    with tempfile.TemporaryDirectory() as folder:
        for family in options.families:
            for size in options.sizes:
                matrix = os.path.join(folder, f"{family}-{size}.mtx")
                generate(family, size, matrix)
                used = measure(matrix, programs, options)
                os.remove(matrix)
                if len(used) < len(programs):
                    failed += 1
                    continue
                missed += bool(misses(used))
                ratios.append(used["espalier"].seconds / used["cholmod"].seconds)
                print(line(f"{family}-{size}", used), flush=True)
    if ratios:
        print(f"{len(ratios)} matrices, {missed} with a goal missed, {failed} failed; time over CHOLMOD's: "
              f"{statistics.geometric_mean(ratios):.2f} on average, {max(ratios):.2f} at most")
    return 1 if missed or failed or not ratios else 0


if __name__ == "__main__":
    sys.exit(main())
