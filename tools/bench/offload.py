#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares HALO's division of updates by predicted times with fixed shares, by the seconds of a factorization with one coprocessor.

Usage: offload.py [--espalier PROGRAM] [--rounds N] [--repeat N] [--granularity G] [--cut-offs MxNxK] [--plot FILE] MATRIX...

Each round runs one CPU worker and one coprocessor under policy halo with `mdwin`, `static0:F` and `static1:F` for F = 0.1 …
0.9, and the host alone (figure 7 of Sao, Liu, Vuduc, Li: A sparse direct solver for distributed memory
Xeon Phi-accelerated systems, IPDPS 2015). Times are medians of the factorizations of each run, and then of the rounds. Then
follows Table III of that paper, for the fastest factorization by the host alone (t_omp) and the fastest under mdwin (t_mic):
panel factorization (t_pf) in % of t_omp, the speed-up of the updates, (t_omp - t_pf) / (t_mic - t_pf), and of the whole
factorization, t_omp / t_mic; idle times and copies in % of t_mic, and the offload efficiency. The exit code is 0, 1 if a run
failed, or 2 for a usage error.
"""
import argparse
import os
import pathlib
import statistics
import sys

import programs

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/espalier"
SHARES = [round(0.1 * tenths, 1) for tenths in range(1, 10)]
STATIC = ("static0", "static1")
DIVISIONS = ["mdwin", *(f"{name}:{share}" for name in STATIC for share in SHARES)]
HOST = "host alone"


def programs_to_run(options):
    common = ("--granularity", options.granularity)
    halo = ("--coprocessors", "1", "--sched", "halo", *common, "--halo")
    cut_offs = {division: f":{options.cut_offs}" for division in DIVISIONS if division.startswith("static1")}
    return [programs.espalier(options.espalier, HOST, 1, options.repeat, options=common)] + [
        programs.espalier(options.espalier, division, 1, options.repeat,
                          options=(*halo, division + cut_offs.get(division, ""))) for division in DIVISIONS]


def measured(options, matrix):
    """Returns the samples of all rounds, for each division and for HOST."""
    runs = programs_to_run(options)
    samples = {run.name: [] for run in runs}
    for turn in range(options.rounds):
        first = turn * len(runs) // options.rounds
        for run in runs[first:] + runs[:first]:
            samples[run.name].append(run.measure(matrix))
    return samples


def medians(samples):
    return {name: statistics.median(sample.factor for sample in found) for name, found in samples.items()}


def line(name, seconds):
    best = min((division for division in DIVISIONS[1:]), key=seconds.get)
    worst = max(seconds[division] for division in DIVISIONS[1:])
    return (f"{name:<26}{seconds['mdwin']:10.4f}{seconds[best]:10.4f}  {best:20}{seconds['mdwin'] / seconds[best]:6.2f}"
            f"{worst / seconds[best]:8.2f}{seconds[HOST] / seconds['mdwin']:12.2f}")


TABLE_III = ["t_omp, s", "t_mic, s", "t_pf, %", "updates", "overall", "host idle", "dev. idle", "copies", "efficiency"]


def table_iii(samples):
    """The columns of Table III, in its order."""
    host = min(sample.fastest for sample in samples[HOST])
    best = min(samples["mdwin"], key=lambda sample: sample.fastest)
    t, offload = best.fastest, best.offload
    panels = offload["panel_seconds"]
    shares = [100 * offload[key] / t for key in ("host_idle_seconds", "device_idle_seconds", "transfer_seconds")]
    return [host, t, 100 * panels / host, (host - panels) / (t - panels), host / t, *shares, 100 * offload["efficiency"]]


def print_table_iii(found):
    print(f"\n{'Table III':26}" + "".join(f"{title:>11}" for title in TABLE_III))
    for name, samples in found.items():
        values = table_iii(samples)
        digits = [4, 4, 1, 2, 2, 1, 1, 1, 1]
        print(f"{name:<26}" + "".join(f"{value:11.{d}f}" for value, d in zip(values, digits)))


def pyplot_or_exit():
    """Imports matplotlib before the first run, so that a missing package loses no measurement."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("--plot needs matplotlib; install Debian's package python3-matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot


def draw(pyplot, file, found):
    figure, places = pyplot.subplots(1, len(found), figsize=(4 * len(found), 3.5), squeeze=False)
    for place, (name, samples) in zip(places[0], found.items()):
        seconds = medians(samples)
        for static in STATIC:
            place.plot(SHARES, [seconds[f"{static}:{share}"] for share in SHARES], marker="o", label=static)
        place.axhline(seconds["mdwin"], color="black", linestyle="--", label="mdwin")
        place.axhline(seconds[HOST], color="gray", linestyle=":", label=HOST)
        place.set(title=name, xlabel="share of the columns", ylim=(0, None))
    places[0][0].set_ylabel("seconds")
    places[0][0].legend()
    figure.tight_layout()
    figure.savefig(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--espalier", default=PROGRAM, metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=3, help="(3)")
    parser.add_argument("--repeat", type=int, default=15, help="factorizations per run; the first ones are slow (15)")
    parser.add_argument("--granularity", default="panel", help="granularity (panel, because each panel is one copy)")
    parser.add_argument("--cut-offs", default="512x512x16", metavar="MxNxK", help="cut-offs of static1 (512x512x16, those of the paper)")
    parser.add_argument("--plot", metavar="FILE", help="draw seconds against shares; needs matplotlib")
    options = parser.parse_args()
    pyplot = pyplot_or_exit() if options.plot else None
    print(f"{'':26}{'mdwin, s':>10}{'best, s':>10}  {'':20}{'ratio':>6}{'worst':>8}{HOST:>12}")
    found = {}
    failed = False
    for matrix in options.matrices:
        name = os.path.basename(matrix).removesuffix(".mtx.gz")
        try:
            found[name] = measured(options, matrix)
        except programs.RunFailed as error:
            print(f"{name:<26}{error}", flush=True)
            failed = True
            continue
        print(line(name, medians(found[name])), flush=True)
    if found:
        print_table_iii(found)
    if pyplot and found:
        draw(pyplot, options.plot, found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
