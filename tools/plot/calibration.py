#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the rates of a calibration. Each kernel has a panel with Gflop/s over the size: points are measured, and lines show
the interpolation between them. Another panel shows the bandwidth of SCATTER over the block size.

With a table of devices there are more panels: the speed-up of GEMM on one device worker over all host workers, as a map
over rows and columns, and SCATTER on the device (figures 5 and 6 of Sao, Liu, Vuduc, Li: A sparse direct solver for
distributed memory Xeon Phi-accelerated systems, IPDPS 2015).

Usage: calibration.py TABLE.json PICTURE.png [DEVICES.json] (or .svg, .pdf)
"""
import json
import sys


def at(grid, *sizes):
    """Returns the seconds per operation, linear between neighbouring powers of two, as in the program."""
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


# Title, meaning of the horizontal axis, and curves: a label and the sizes for x.
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
        panel.set(title=title, xlabel=label, ylabel="Gflop/s per worker", xscale="log")
        panel.set_xscale("log", base=2)
        panel.grid(alpha=0.3)
        if len(curves) > 1:
            panel.legend(fontsize="small")


ENTRY_BYTES = 3 * 8  # two reads and a write
INNER = (16, 256)  # inner dimensions of the speed-up maps


def bandwidth(table, rows, columns):
    """Returns the bandwidth of SCATTER in bytes per second. If SCATTER was not measured, uses GEMM with inner dimension 1."""
    if "scatter" in table:
        return ENTRY_BYTES / at(table["scatter"], rows, columns)
    return ENTRY_BYTES / (2 * at(table["gemm"], rows, columns, 1))


def gemm_seconds(table, *sizes):
    """Returns the seconds per operation of the product alone, or of the update with SCATTER if that is missing."""
    return at(table.get("gemm_alone", table["gemm"]), *sizes)


def draw_map(figure, panel, values, title, labels):
    """Draws contours of values(x, y) over powers of two."""
    across, up = [2**c for c in range(12)], [2**c for c in range(10)]
    grid = [[values(x, y) for x in across] for y in up]
    filled = panel.contourf(across, up, grid, levels=12)
    panel.clabel(panel.contour(across, up, grid, levels=filled.levels, colors="black", linewidths=0.4), fontsize="x-small")
    panel.set(title=title, xlabel=labels[0], ylabel=labels[1])
    panel.set_xscale("log", base=2)
    panel.set_yscale("log", base=2)
    figure.colorbar(filled, ax=panel)


def draw_scatter(figure, panel, table, name):
    draw_map(figure, panel, lambda x, y: bandwidth(table, x, y) / 2**30, f"SCATTER, {name}, GiB/s per worker",
             ("rows $b_x$", "columns $b_y$"))


def draw_devices(figure, panels, table, devices):
    for panel, inner in zip(panels, INNER):
        draw_map(figure, panel,
                 lambda m, n, k=inner: gemm_seconds(table, m, n, k) / table["workers"] / gemm_seconds(devices, m, n, k),
                 f"GEMM, {devices['architecture']} over {table['workers']} host workers, $k$ = {inner}", ("rows $m$", "columns $n$"))
    draw_scatter(figure, panels[-1], devices, devices["architecture"])


def read(path):
    with open(path) as file:
        return json.load(file)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    try:
        import matplotlib
    except ImportError:
        sys.exit("the plot needs matplotlib; install Debian's package python3-matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    table = read(sys.argv[1])
    rows = len(sys.argv) - 1  # with devices there is an additional row
    figure, axes = pyplot.subplots(rows, 3, figsize=(15, 4 * rows), constrained_layout=True)
    draw(table, axes.flat)
    draw_scatter(figure, axes[1][1], table, "host")
    axes[1][2].set_axis_off()
    if len(sys.argv) == 4:
        draw_devices(figure, axes[2], table, read(sys.argv[3]))
    figure.suptitle(f"{table['cpu']}, {table['workers']} workers, {table['date']}\n{table['kernels']}", fontsize="medium")
    figure.savefig(sys.argv[2])


if __name__ == "__main__":
    main()
