# SPDX-License-Identifier: BSD-3-Clause
"""Times Espalier and the solvers of a folder side by side on the same problems."""
import argparse
import contextlib
import datetime
import os
import pathlib
import sys

import programs
import table

DEFAULT_PROBLEMS = ["laplace3d:50", "elasticity3d:20x20x20", "irregular2d:300000", "laplace2d:500", "stencil27:36"]
DEFAULT_PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "espalier"
EXAMPLES = """
examples:
  PEERS=~/peers tools/bench/peers.sh
  PEERS=~/peers tools/bench/peers.sh --one-worker --csv run.csv default flange.mtx.gz
  ESPALIER=build/other/espalier tools/bench/peers.sh --threads 1 laplace3d:30

environment:
  PEERS     the folder of peer_* programs (README.md in this folder describes them)
  ESPALIER  the program to time (default: build/release/espalier)
  ORDERING  ordering of the peers (default: "metis")
"""


def say(text):
    print(f"peers: {text}", file=sys.stderr, flush=True)


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


def parse_options():
    parser = argparse.ArgumentParser(prog="peers.sh", description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", default=["default"],
                        help="matrix files and generated problems; \"default\" stands for " + " ".join(DEFAULT_PROBLEMS))
    parser.add_argument("--threads", type=positive, default=2, metavar="N", help="workers of Espalier and threads of the peers (2)")
    parser.add_argument("--rounds", type=positive, default=3, metavar="K", help="runs of each program on each problem, in turn (3)")
    parser.add_argument("--repeat", type=positive, default=3, metavar="R", help="factorizations per run (3)")
    parser.add_argument("--one-worker", action="store_true", help="also run Espalier with one worker, for the speed-up")
    parser.add_argument("--csv", metavar="FILE", help="also write the table, with more columns, to FILE")
    return parser.parse_args()


def expand(problems):
    return [name for problem in problems for name in (DEFAULT_PROBLEMS if problem == "default" else [problem])]


def display_name(problem):
    """The file's name without folder and suffix; generated problems as they are."""
    name = os.path.basename(problem)
    return name.split(".")[0] if "." in name else name


def find_espalier():
    path = pathlib.Path(os.environ.get("ESPALIER") or DEFAULT_PROGRAM)
    if not (path.is_file() and os.access(path, os.X_OK)):
        say(f"the program {path} does not exist; build it (cmake --preset release, cmake --build --preset release) or set ESPALIER")
        sys.exit(2)
    return path.resolve()


def find_peers(options):
    folder = os.environ.get("PEERS")
    peers = programs.peers_in(folder)
    if not peers:
        where = f"{folder} contains no peer_* program" if folder else "PEERS is not set"
        say(f"{where}; set PEERS to a folder of peer_* programs; without it only Espalier is measured")
    return [programs.peer(path, options.threads, options.repeat) for path in peers]


def measure(program, problem):
    """Runs a program once. If it fails, prints a line with the reason and returns None."""
    try:
        return program.measure(problem)
    except programs.RunFailed as failure:
        say(f"{program.name} failed on {problem}: {failure}")
        return None


def compare(problem, ours, peers, rounds):
    """Runs all programs in turn, `rounds` times. Each round starts with another program. A program that failed does not run again."""
    rows = [table.Row(p.name, False, []) for p in ours] + [table.Row(p.name, True, []) for p in peers]
    running = list(zip(ours + peers, rows))
    for turn in range(rounds):
        first = turn % len(running) if running else 0
        for program, row in running[first:] + running[:first]:
            show_progress(f"{problem}: round {turn + 1} of {rounds}, {program.name}")
            sample = measure(program, problem)
            if sample is None:
                row.samples.clear()
                running.remove((program, row))
            else:
                row.samples.append(sample)
    comparison = table.Comparison(display_name(problem), rows)
    warn_of_other_matrices(comparison)
    return comparison


def show_progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def warn_of_other_matrices(comparison):
    """Checks that a generated name means the same matrix to every program."""
    show_progress("")
    for row in comparison.rows[1:]:
        for field in ("n", "nnz_lower"):
            theirs, ours = (row_.samples[0] if row_.samples else None for row_ in (row, comparison.ours))
            if theirs and ours and getattr(theirs, field) not in (0, getattr(ours, field)):
                say(f"{comparison.problem} is a different matrix for {row.program}: {field} is {getattr(theirs, field)}, "
                    f"not {getattr(ours, field)}")


def machine():
    """Name of the processor and number of CPUs."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = "unknown processor"
    return f"{name}, {os.cpu_count()} CPUs"


def conditions(options, load):
    return (f"{datetime.date.today()}, {machine()}, load {load:.1f} before the first run; workers: {options.threads}, "
            f"rounds: {options.rounds}, factorizations per run: {options.repeat}\n")


def heading(options, load):
    return (conditions(options, load) + "seconds and ratios are medians; ratio: the program's time over Espalier's, * the best peer; "
            "spread: (slowest - fastest factorization) / median\n")


def open_csv(name):
    """Opens the file before the measurements, so that a wrong name fails at once."""
    if not name:
        return contextlib.nullcontext()
    try:
        return open(name, "w", newline="", encoding="utf-8")
    except OSError as error:
        say(f"{name} cannot be written: {error.strerror}")
        sys.exit(2)


def main():
    options = parse_options()
    program, load = find_espalier(), os.getloadavg()[0]
    ours = [programs.espalier(program, "espalier", options.threads, options.repeat)]
    if options.one_worker:
        ours.append(programs.espalier(program, "one worker", 1, options.repeat))
    peers = find_peers(options)
    with open_csv(options.csv) as file:
        comparisons = [compare(problem, ours, peers, options.rounds) for problem in expand(options.problems)]
        if file:
            table.write_csv(file, comparisons)
    print(heading(options, load))
    print(table.render(comparisons))
    return 0 if all(comparison.ours.samples for comparison in comparisons) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
