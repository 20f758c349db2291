#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the rates of a calibration: one panel a kernel, Gflop/s against size, points as measured, lines as used
between them.

Usage: calibration.py TABLE.json PICTURE.png (or .svg, .pdf)
"""
import json
import sys


def at(grid, *sizes):
    """Seconds an operation, linear between neighbouring powers of two, as the program has it."""
    def along(dimension, point):
        if dimension == 3:
            (a, b, c), counts = point, grid["classes"]
            return grid["seconds_per_operation"][(a * counts[1] + b) * counts[2] + c]
        size = max(1, sizes[dimension] if dimension < len(sizes) else 1)
        below = int(size).bit_length() - 1
        last = grid["classes"][dimension] - 1
        if below >= last:
            return along(dimension + 1, point + (last,))
        share = size / 2**below - 1
        low, high = along(dimension + 1, point + (below,)), along(dimension + 1, point + (below + 1,))
        return low + share * (high - low)
    return along(0, ())


# Title, what the horizontal axis counts, and curves: a label and the sizes that go with x.
PANELS = [
    ("POTRF", "potrf", "order", [("", lambda x: (x,))]),
    ("TRSM", "trsm", "order", [(f"{m} rows", lambda x, m=m: (m, x)) for m in (16, 128, 1024)]),
    ("SYRK", "syrk", "order", [(f"inner dimension {k}", lambda x, k=k: (x, k)) for k in (8, 32, 256)]),
    ("GEMM", "gemm", "inner dimension", [(f"{m} x {n}", lambda x, m=m, n=n: (m, n, x))
                                         for m, n in ((16, 16), (128, 32), (1024, 256))]),
]


def draw(table, axes):
    for panel, (title, kernel, label, curves) in zip(axes, PANELS):
        powers = [2**c for c in range(10)]
        smooth = [1 + i / 8 for i in range(8)]
        fine = [p * s for p in powers[:-1] for s in smooth] + [powers[-1]]
        for name, sizes in curves:
            line, = panel.plot(fine, [1e-9 / at(table[kernel], *sizes(x)) for x in fine], label=name)
            panel.plot(powers, [1e-9 / at(table[kernel], *sizes(x)) for x in powers], "o", color=line.get_color())
        panel.set(title=title, xlabel=label, ylabel="Gflop/s a worker", xscale="log")
        panel.set_xscale("log", base=2)
        panel.grid(alpha=0.3)
        if len(curves) > 1:
            panel.legend(fontsize="small")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    try:
        import matplotlib
    except ImportError:
        sys.exit("the plot needs matplotlib; install Debian's package python3-matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    with open(sys.argv[1]) as file:
        table = json.load(file)
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 8), constrained_layout=True)
    draw(table, axes.flat)
    figure.suptitle(f"{table['cpu']}, {table['workers']} workers, {table['date']}\n{table['kernels']}", fontsize="medium")
    figure.savefig(sys.argv[2])


if __name__ == "__main__":
    main()
