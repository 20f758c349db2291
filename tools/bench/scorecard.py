# SPDX-License-Identifier: BSD-3-Clause
"""Measures all goals of Espalier in one run, and prints the table and the goals that are met and missed."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import goals
import peers
import programs
import random_graphs
import table

GENERATED = ["laplace3d:30", "laplace3d:50", "laplace2d:500", "irregular2d:300000", "stencil27:36", "elasticity3d:20x20x20",
             "elasticity3d:80x10x10", "elasticity3d:8x8x8"]
FILES = ["flange", "bracket", "el_as1_b", "ht_as1", "graph_copter2", "lp_qap12", "plate_bunny00", "qp_cont200", "bcsstk18",
         "pg_ibmpg1"]
RANDOM = [("crossed", 4), ("normal_equations", 4), ("power_law", 4)]
LARGE = ["laplace3d:80", "stencil27:56"]
CUBES = ["laplace3d:20", "laplace3d:30", "laplace3d:40", "laplace3d:50", "laplace3d:65", "laplace3d:80"]
PLANES = ["irregular2d:10000", "irregular2d:100000", "irregular2d:1000000"]
TINY = ["laplace2d:1", "laplace2d:4", "laplace2d:15", "laplace2d:44", "laplace3d:6", "laplace3d:12", "elasticity3d:4x4x4",
        "elasticity3d:8x8x8"]
GIGA = 1e9
PARTS = ["peers", "once", "large", "growth", "tiny"]


def parse_options():
    parser = argparse.ArgumentParser(prog="scorecard.sh", description=__doc__,
                                     epilog="ESPALIER_MATRICES names the folder of the files " + ", ".join(FILES) +
                                     "; missing files are left out. PEERS and ESPALIER as for peers.sh.")
    parser.add_argument("--rounds", type=peers.positive, default=2, metavar="K", help="runs of each program, in turn (2)")
    parser.add_argument("--repeat", type=peers.positive, default=5, metavar="R", help="factorizations per run (5)")
    parser.add_argument("--only", choices=PARTS, action="append",
                        help="one part: against the peers, one factorization per run, rates of large problems, growth, small "
                             "problems (all)")
    parser.add_argument("--csv", metavar="FILE", help="also write the table against the peers to FILE")
    return parser.parse_args()


def problems(folder, program):
    """The generated problems, three random graphs, and the existing files. Files of other formats are converted to Matrix Market
    for the peers."""
    found = list(GENERATED)
    for family, size in RANDOM:
        found.append(os.path.join(folder, f"{family}-{size}.mtx"))
        random_graphs.write(family, size, found[-1])
    collection = os.environ.get("ESPALIER_MATRICES")
    if not collection:
        peers.say("ESPALIER_MATRICES is not set: only generated problems are measured")
        return found
    for name in FILES:
        files = sorted(pathlib.Path(collection).glob(f"{name}.*"))
        if not files:
            peers.say(f"{collection} holds no file {name}.*: it is left out")
        elif ".mtx" in files[0].suffixes:
            found.append(str(files[0]))
        else:
            converted = os.path.join(folder, f"{name}.mtx")
            subprocess.run([program, "generate", files[0], converted, "--quiet"], check=True)
            found.append(converted)
    return found


class Contest:
    """Compares Espalier with two workers and with one, and the peers with two threads and with one, on the same problems. The rows of
    a comparison are Espalier, Espalier with one worker, the peers with one thread, the peers with two."""

    def __init__(self, program, rounds, repeat):
        paths = programs.peers_in(os.environ.get("PEERS"))
        if not paths:
            peers.say("PEERS does not name a folder of peer_* programs: only Espalier is measured")
        self.rounds = rounds
        self.count = len(paths)
        self.beside = [programs.espalier(program, "espalier", 2, repeat),
                       programs.espalier(program, "one worker", 1, repeat),
                       *(programs.peer(path, 1, repeat, "-1") for path in paths)]
        self.peers = [programs.peer(path, 2, repeat) for path in paths]

    def run(self, names):
        return [peers.compare(name, self.beside, self.peers, self.rounds) for name in names]

    def best(self, comparison, field, threads):
        """The fastest peer's time with this number of threads over Espalier's with as many workers, or None."""
        one, two = comparison.rows[2:2 + self.count], comparison.rows[2 + self.count:]
        ours = comparison.rows[0 if threads == 2 else 1]
        times = [row.median(field) for row in (two if threads == 2 else one) if row.samples]
        if not times or not ours.samples or min(times) <= 0 or ours.median(field) <= 0:
            return None
        return min(times) / ours.median(field)


def pairs(comparisons, value):
    return [(value(c), c.problem) for c in comparisons]


def speed_up(comparison):
    two, one = comparison.rows[:2]
    return one.median("factor") / two.median("factor") if one.samples and two.samples else None


def between(comparisons, low, high):
    return [c for c in comparisons if c.ours.samples and low <= c.ours.samples[0].flops < high]


def runtime_share(comparison):
    ours = comparison.ours
    return ours.median("runtime_share") if ours.samples and ours.median("factor") > 0.01 else None


def peer_goals(contest, comparisons):
    def best(field, threads):
        return pairs(comparisons, lambda c: contest.best(c, field, threads))

    return [
        goals.against_peers("1 factorization", best("factor", 2), 2.5, 1.6),
        goals.against_peers("2 analysis + factorization + solve", best("total", 2), 1.6, 1.1),
        goals.against_peers("3 solve", best("solve", 2), 1.3, 1.0),
        goals.against_peers("4 factorization, one worker and thread", best("factor", 1), 2.0, 1.4),
        goals.at_least("5 two workers over one above 5 Gflop", pairs(between(comparisons, 5 * GIGA, 1e99), speed_up), 1.85),
        goals.at_least("5 above 0.2 Gflop", pairs(between(comparisons, 0.2 * GIGA, 5 * GIGA), speed_up), 1.6),
        goals.at_least("5 below", pairs(between(comparisons, 0, 0.2 * GIGA), speed_up), 1.0),
        goals.at_most("8 runtime share above 10 ms", pairs(comparisons, runtime_share), 0.03),
        goals.at_most("memory: peak over L, input and graph", pairs(comparisons, lambda c: c.memory_ratio()), 1.15, ".2f"),
    ]


def once_goals(program, options, names):
    """The goal for runs with one factorization, whose time includes the first touch of memory and the start of StarPU's workers."""
    contest = Contest(program, options.rounds, 1)
    comparisons = contest.run(names)
    print(table.render(comparisons) + "\n", flush=True)
    return [goals.against_peers("1 factorization, one per run",
                                pairs(comparisons, lambda c: contest.best(c, "factor", 2)), 2.6, 1.0)]


def dgemm_rate(cores, folder):
    """Rate in Gflop/s of DGEMM on 2000 x 2000 matrices, with one process on each of this number of cores: the best of some runs."""
    kernels = peers.find_espalier().parent / "espalier_bench_kernels"
    files = [os.path.join(folder, f"dgemm{core}.json") for core in range(cores)]
    command = [kernels, "--set", "BLAS", "--samples", "5", "--milliseconds", "300", "gemm:2000x2000x2000", "--json"]
    running = [subprocess.Popen([*command, file], stdout=subprocess.DEVNULL) for file in files]
    if any([process.wait() for process in running]):
        raise programs.RunFailed(f"{kernels} failed")
    return sum(json.loads(pathlib.Path(file).read_text(encoding="utf-8"))[0]["gflops"]["BLAS"] for file in files)


def rates(program, options, names):
    """Rate in Gflop/s of the factorization of each problem, with two workers."""
    ours = programs.espalier(program, "espalier", 2, 3)
    found = []
    for name in names:
        samples = [s for s in (peers.measure(ours, name) for _ in range(options.rounds)) if s]
        found.append((max((s.flops / s.factor for s in samples), default=0) / GIGA, name))
    return found


def large_goals(program, options, folder):
    before = dgemm_rate(2, folder)
    found = rates(program, options, LARGE)
    dgemm = max(before, dgemm_rate(2, folder))
    return [goals.at_least(f"6 share of DGEMM's {dgemm:.0f} GF/s", [(rate / dgemm, name) for rate, name in found], 0.85)]


def seconds_a_vertex(program, options):
    ours = programs.espalier(program, "espalier", 2, 1)
    found = []
    for name in PLANES:
        samples = [s for s in (peers.measure(ours, name) for _ in range(options.rounds)) if s]
        found.append((min((s.total / s.n for s in samples), default=None), name))
    return found


def growth_goals(program, options):
    vertex = seconds_a_vertex(program, options)
    growth = [(time / vertex[0][0], name) for time, name in vertex if time and vertex[0][0]]
    return [goals.never_falls("7 GF/s from laplace3d:20 to :80", rates(program, options, CUBES)),
            goals.at_most("7 time per vertex over irregular2d:10000", growth[1:], 1.25, ".2f")]


def tiny_goals(contest):
    comparisons = contest.run(TINY)
    return [goals.at_least("8 time to solution, n up to 2000", pairs(comparisons, lambda c: contest.best(c, "total", 2)), 1.0)]


def main():
    options = parse_options()
    parts = options.only or PARTS
    program, load = peers.find_espalier(), os.getloadavg()[0]
    options.threads = 2
    contest = Contest(program, options.rounds, options.repeat)
    found = []
    with tempfile.TemporaryDirectory() as folder, peers.open_csv(options.csv) as file:
        print(peers.heading(options, load), flush=True)
        names = problems(folder, program) if {"peers", "once"} & set(parts) else []
        if "peers" in parts:
            comparisons = contest.run(names)
            print(table.render(comparisons) + "\n", flush=True)
            if file:
                table.write_csv(file, comparisons)
            found += peer_goals(contest, comparisons)
        found += once_goals(program, options, names) if "once" in parts else []
        found += large_goals(program, options, folder) if "large" in parts else []
        found += growth_goals(program, options) if "growth" in parts else []
        found += tiny_goals(contest) if "tiny" in parts else []
    print(goals.render(sorted(found, key=lambda goal: goal.name)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
