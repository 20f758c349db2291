# SPDX-License-Identifier: BSD-3-Clause
"""Medians, ratios, and the table of them."""
import csv
import dataclasses
import math
import statistics

PHASES = ("analysis", "factor", "solve", "total")
RATIOS = ("factor", "total", "solve")
# Goal: maximum ratio of the peak memory to the memory of L, the input and the graph of the input.
MEMORY_AIM = 1.15


@dataclasses.dataclass
class Row:
    """The runs of one program on one problem. `is_peer` is false for Espalier itself, with any number of workers."""

    program: str
    is_peer: bool
    samples: list

    def median(self, field):
        return statistics.median(getattr(sample, field) for sample in self.samples)

    def spread(self):
        """Difference of the slowest and the fastest factorization, as a share of the median.
        None for a single round."""
        if len(self.samples) < 2 or self.median("factor") <= 0:
            return None
        times = [sample.factor for sample in self.samples]
        return (max(times) - min(times)) / self.median("factor")


@dataclasses.dataclass
class Comparison:
    """One problem: the first row is Espalier's, and the other rows are compared with it. A row without samples failed."""

    problem: str
    rows: list

    @property
    def ours(self):
        return self.rows[0]

    def ratio(self, row, field):
        """The program's time over Espalier's, or None if one of the two times is missing or below the resolution of the
        clock."""
        if row is self.ours or not row.samples or not self.ours.samples:
            return None
        theirs, ours = row.median(field), self.ours.median(field)
        return theirs / ours if theirs > 0 and ours > 0 else None

    def best_peer(self, field):
        """The fastest peer's ratio, or None."""
        return min((r for row in self.rows if row.is_peer and (r := self.ratio(row, field))), default=None)

    def memory_ratio(self):
        """Espalier's peak over the memory of L, A and the graph of A: 8 bytes per entry of L; 12 per entry of A's lower triangle
        and 8 per column; 4 per end of an edge and 8 per vertex."""
        if not self.ours.samples:
            return None
        size = self.ours.samples[0]
        graph = 8 * (size.nnz_lower - size.n) + 8 * size.n
        return self.ours.median("peak_bytes") / (8 * size.nnz_l + 12 * size.nnz_lower + 8 * size.n + graph)


def geometric_mean(ratios):
    """Geometric mean over the problems that have a ratio, or None."""
    known = [ratio for ratio in ratios if ratio]
    return math.exp(statistics.fmean(map(math.log, known))) if known else None


def _number(value, form, mark=" "):
    return "" if value is None else format(value, form) + mark


HEADER = ["problem", "n", "program", *PHASES, "spread", *(f"{name} x" for name in RATIOS), "peak MB", "peak/need"]
WIDTHS = [22, 8, 10, 8, 8, 8, 8, 6, 8, 8, 8, 7, 9]


def _line(cells):
    text = [cell.ljust(width) if column in (0, 2) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, WIDTHS))]
    return "  ".join(text).rstrip()


def _row_cells(comparison, row):
    first = row is comparison.ours
    known = comparison.ours.samples or [None]
    cells = [comparison.problem if first else "", str(known[0].n) if first and known[0] else "", row.program]
    if not row.samples:
        return cells + ["failed"]
    cells += [_number(row.median(phase), ".4f", "") for phase in PHASES] + [_number(row.spread(), ".0%", "")]
    for name in RATIOS:
        ratio = comparison.ratio(row, name)
        best = row.is_peer and ratio is not None and ratio == comparison.best_peer(name)
        cells.append(_number(ratio, ".2f", "*" if best else " "))
    if first:
        cells += [f"{row.median('peak_bytes') / 1e6:.0f}", _number(comparison.memory_ratio(), ".2f", "")]
    return cells


def _mean_cells(comparisons, place):
    """Geometric means of the rows at one position; each problem has the same programs at the same positions."""
    rows = [(comparison, comparison.rows[place]) for comparison in comparisons]
    means = [geometric_mean(c.ratio(row, name) for c, row in rows) for name in RATIOS]
    counted = sum(1 for c, row in rows if c.ratio(row, "factor"))
    return ["geometric mean", f"of {counted}", rows[0][1].program, *[""] * 5, *(_number(mean, ".2f") for mean in means)]


def _best_cells(comparisons, name, choose):
    values = [choose(c.best_peer(ratio) for c in comparisons) for ratio in RATIOS]
    return [name, "", "best peer", *[""] * 5, *(_number(value, ".2f", "*") for value in values)]


def _lowest(ratios):
    return min((ratio for ratio in ratios if ratio), default=None)


def render(comparisons):
    """The whole table as text, with the means at the end."""
    rule = "-" * (sum(WIDTHS) + 2 * (len(WIDTHS) - 1))
    lines = [_line(HEADER), rule]
    for comparison in comparisons:
        lines += [_line(_row_cells(comparison, row)) for row in comparison.rows] + [rule]
    means = [_mean_cells(comparisons, place) for place in range(1, len(comparisons[0].rows))]
    lines += [_line(cells) for cells in means if any(cells[-len(RATIOS):])]
    if any(row.is_peer for row in comparisons[0].rows):
        lines.append(_line(_best_cells(comparisons, "geometric mean", geometric_mean)))
        lines.append(_line(_best_cells(comparisons, "lowest", _lowest)))
    return "\n".join(lines + [_memory_line(comparisons)])


def _memory_line(comparisons):
    known = [(c.memory_ratio(), c.problem) for c in comparisons if c.ours.samples]
    if not known:
        return "peak memory: unknown"
    highest, problem = max(known)
    return f"peak memory over the memory of L, of the input and of its graph: at most {highest:.2f} ({problem}); the goal is {MEMORY_AIM}"


def write_csv(file, comparisons):
    """One line per problem and program; ratios and memory as in the table, empty if unknown."""
    writer = csv.writer(file)
    writer.writerow(["problem", "n", "nnz_lower", "program", "rounds", *(f"{p}_s" for p in PHASES), "factor_min_s",
                     "factor_max_s", *(f"{r}_ratio" for r in RATIOS), "nnz_l", "flops", "backward_error", "peak_bytes",
                     "memory_ratio"])
    for comparison in comparisons:
        for row in comparison.rows:
            writer.writerow(_csv_cells(comparison, row))


def _csv_cells(comparison, row):
    size = comparison.ours.samples[0] if comparison.ours.samples else None
    cells = [comparison.problem, size.n if size else "", size.nnz_lower if size else "", row.program, len(row.samples)]
    if not row.samples:
        return cells
    times = [sample.factor for sample in row.samples]
    first = row is comparison.ours
    return cells + [
        *(f"{row.median(phase):.6f}" for phase in PHASES), min(times), max(times),
        *(_number(comparison.ratio(row, name), ".4f", "") for name in RATIOS),
        row.samples[0].nnz_l, row.samples[0].flops, max(sample.backward_error for sample in row.samples),
        int(row.median("peak_bytes")) or "", f"{comparison.memory_ratio():.4f}" if first else ""]
