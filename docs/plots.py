# SPDX-License-Identifier: BSD-3-Clause
"""Draws the charts of docs/measurements as SVG, and makes tables of the same CSV files.

A page has a fenced block with the info string {chart} or {table} and a key of CHARTS or TABLES. The Sphinx configuration
replaces the block when it builds the page. Colours are variables of _static/espalier.css, so that a chart is readable in light and
in dark mode.
"""
import csv
import html
import math
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent / "measurements"
BLOCK = re.compile(r"^```\{(chart|table)\} (\S+)\n```\n", re.M)
NAMES = {"espalier": "Espalier", "pardiso": "PARDISO", "cholmod": "CHOLMOD", "mumps": "MUMPS"}
PEERS = ("pardiso", "cholmod", "mumps")
PEERS_CAPTION = ("2026-11-21, Espalier 0.1.0 (before release), 2 cores of an Intel Xeon (Sapphire Rapids) in a virtual machine: "
                 "<code>tools/bench/scorecard.sh --rounds 2</code>")

# Geometry of a chart, in units of the viewBox.
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 150, 20, 34, 46
BAR, GAP = 9, 9


def read(name):
    """The rows of a CSV file, as dictionaries of text."""
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def numbers(row, columns):
    return [float(row[column]) for column in columns]


def peers():
    """The measurements of each problem: {problem: {(program, threads): row}}."""
    problems = {}
    for row in read("peers.csv"):
        problems.setdefault(row["problem"], {})[row["program"], int(row["threads"])] = row
    return problems


def peer_ratios(column, threads):
    """Names of the programs, and for each problem the seconds of each program over Espalier's."""
    rows = {}
    for problem, runs in peers().items():
        own = float(runs["espalier", threads][column])
        rows[problem] = [float(runs[peer, threads][column]) / own for peer in PEERS]
    return [NAMES[peer] for peer in PEERS], rows


def wide(name, columns):
    """Titles of some columns of a CSV file, and their values by the first column."""
    rows = read(name)
    first = next(iter(rows[0]))
    return [titles for _, titles in columns], {row[first]: numbers(row, [key for key, _ in columns]) for row in rows}


def ratio_chart(phase, column, threads):
    many = "2 threads or workers" if threads == 2 else "1 thread or worker"
    return {"data": lambda: peer_ratios(column, threads), "title": f"{phase}, {many} each",
            "axis": f"{phase}: seconds of the peer / seconds of Espalier (log scale; above 1 Espalier is faster)", "log": True,
            "reference": 1, "caption": PEERS_CAPTION}


CHARTS = {
    "peers-factor": ratio_chart("Factorization", "factor_s", 2),
    "peers-total": ratio_chart("Time to solution", "total_s", 2),
    "peers-solve": ratio_chart("Solve", "solve_s", 2),
    "peers-factor-1": ratio_chart("Factorization", "factor_s", 1),
    "growth": {
        "data": lambda: wide("growth.csv", [("gflops", "Espalier, 2 workers")]),
        "title": "Rate of the factorization as a cube grows", "axis": "rate of the factorization, Gflop/s", "log": False,
        "reference": None, "caption": PEERS_CAPTION},
    "simulated-devices": {
        "data": lambda: wide("simulated_devices.csv", [("cpus_ms", "16 CPU workers alone"), ("espalier_1_ms", "with 1 device"),
                                                       ("espalier_2_ms", "with 2 devices"), ("espalier_4_ms", "with 4 devices")]),
        "title": "Factorization on a simulated machine, policy espalier", "axis": "factorization, ms (log scale; shorter is better)",
        "log": True, "reference": None,
        "caption": "2026-11-28, Espalier 0.1.0 (before release), machine description <code>h100-8</code>: <code>espalier simulate "
                   "MATRIX --machine h100-8 --workers 16 --cuda-devices 0,1,2,4 --sched espalier</code>"},
    "h200": {
        "data": lambda: wide("h200.csv", [("cpus_s", "16 CPU workers"), ("streams_1_s", "15 and 1 of the H200"),
                                          ("streams_2_s", "15 and 2 of the H200")]),
        "title": "Factorization with an NVIDIA H200, policy espalier", "axis": "factorization, s (log scale; shorter is better)",
        "log": True, "reference": None,
        "caption": "2026-11-27, Espalier 0.1.0 (before release), CUDA 13.0, 16 cores of an Intel Xeon (family 6 model 207): "
                   "<code>espalier solve MATRIX --workers 15 --cuda-devices 1 --repeat 5</code>, <code>STARPU_NWORKER_PER_CUDA</code> 1 or 2. "
                   "With 1, the plan left elasticity3d:20x20x20 and laplace2d:1000 to the CPUs"},
}


def ticks_of(low, high, log):
    """Values of the grid lines between two values."""
    if log:
        digits = [m * 10.0 ** e for e in range(-4, 6) for m in (1, 2, 5)]
        return [value for value in digits if low <= value * 1.0001 and value <= high * 1.0001]
    step = 10.0 ** math.floor(math.log10(high))
    step = next(step / k for k in (1, 2, 5) if high / (step / k) >= 4)
    return [k * step for k in range(int(high / step) + 1)]


def scale_of(values, log):
    """The position of a value, from 0 to 1, and the ticks."""
    high = max(values) * 1.05
    if not log:
        return lambda value: value / high, ticks_of(0, high, False)
    low = min(min(values) * 0.9, 1 if min(values) < 2 and high > 1 else math.inf)
    span = math.log(high / low)
    return lambda value: math.log(value / low) / span, ticks_of(low, high, True)


def text(x, y, content, anchor="middle", kind=""):
    mark = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{mark}>{html.escape(content)}</text>'


def legend(series):
    """The names of the series above the bars."""
    parts, x = [], float(LEFT)
    for k, name in enumerate(series):
        parts += [f'<rect class="s{k}" x="{x:.1f}" y="10" width="12" height="12"/>', text(x + 17, 20, name, "start")]
        x += 38 + 7.4 * len(name)
    return parts


def svg(chart):
    """A chart of horizontal bars, as one SVG element."""
    series, rows = chart["data"]()
    place, ticks = scale_of([value for values in rows.values() for value in values], chart["log"])
    inner, group = WIDTH - LEFT - RIGHT, BAR * len(series) + GAP
    bottom = TOP + group * len(rows)
    parts = legend(series) + [text(LEFT - 8, 20, "problem", "end")]
    for tick in ticks:
        x = LEFT + inner * place(tick)
        parts += [f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>', text(x, bottom + 16, f"{tick:g}")]
    for i, (name, values) in enumerate(rows.items()):
        y = TOP + group * i + GAP / 2
        parts.append(text(LEFT - 8, y + BAR * len(series) / 2 + 4, name, "end"))
        for k, value in enumerate(values):
            origin = LEFT + inner * (place(chart["reference"]) if chart["reference"] else 0)
            end = LEFT + inner * place(value)
            label = html.escape(f"{name}, {series[k]}: {value:.3g}")
            parts.append(f'<rect class="s{k}" x="{min(origin, end):.1f}" y="{y + BAR * k:.1f}" width="{abs(end - origin):.1f}" '
                         f'height="{BAR - 1}"><title>{label}</title></rect>')
    if chart["reference"]:
        x = LEFT + inner * place(chart["reference"])
        parts.append(f'<line class="reference" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>')
    parts.append(text(LEFT + inner / 2, bottom + 38, chart["axis"]))
    title = html.escape(chart["title"])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" viewBox="0 0 {WIDTH} {bottom + BOTTOM}">'
            f'{"".join(parts)}</svg>')


def figure(chart):
    """The chart with its caption, as HTML."""
    return (f'```{{raw}} html\n<figure class="chart">{svg(chart)}\n<figcaption>{html.escape(chart["title"])}. {chart["caption"]}'
            "</figcaption></figure>\n```\n")


def peer_table(column):
    """Seconds of all programs with one and with two threads."""
    programs = [(name, threads) for name in ("espalier",) + PEERS for threads in (2, 1)]
    header = ["problem"] + [f"{NAMES[name]}, {threads}" for name, threads in programs]
    return [header] + [[problem] + [runs[key][column] for key in programs] for problem, runs in peers().items()]


def peer_memory_table():
    """Size of each problem, and Espalier's peak memory and spread."""
    header = ["problem", "rows", "peak memory, MB", "peak / need", "spread of the factorization"]
    keys = ("rows", "peak_mb", "peak_over_need", "spread_percent")
    rows = [[problem] + [runs["espalier", 2][key] for key in keys] for problem, runs in peers().items()]
    return [header] + [row[:-1] + [row[-1] + " %"] for row in rows]


TABLES = {
    "peers-analysis": lambda: peer_table("analysis_s"),
    "peers-factor": lambda: peer_table("factor_s"),
    "peers-solve": lambda: peer_table("solve_s"),
    "peers-total": lambda: peer_table("total_s"),
    "peers-memory": peer_memory_table,
}


def table(rows):
    """A table in Markdown, with its numbers to the right."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "| --- |" + " --: |" * (len(rows[0]) - 1)] + lines[1:]) + "\n"


def expand(page):
    """The text of a page with its charts and tables."""
    return BLOCK.sub(lambda block: figure(CHARTS[block[2]]) if block[1] == "chart" else table(TABLES[block[2]]()), page)
