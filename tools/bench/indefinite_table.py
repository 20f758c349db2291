# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on the answers of solvers, and the table of them."""
import dataclasses
import statistics

import programs
import table

PHASES = ("analysis", "factor", "solve", "total")
VOTERS = ("mumps", "ssids", "feral")
WIDTHS = (26, 8, 21, 9, 9, 9, 9, 7, 8, 22, 9, 9)
HEADER = ("system", "n", "solver", *PHASES, "x", "error", "inertia", "status", "perturbed", "verdict")


@dataclasses.dataclass
class Row:
    """The answers of one solver on one system. A row without answers has the reason of the failure."""

    solver: str
    is_peer: bool
    answers: list = dataclasses.field(default_factory=list)
    failure: str = ""

    def median(self, field):
        return statistics.median(getattr(answer, field) for answer in self.answers)

    @property
    def last(self):
        return self.answers[-1]

    @property
    def error(self):
        """The largest backward error of all rounds, None without answers."""
        return max((answer.backward_error for answer in self.answers), default=None)

    @property
    def is_accurate(self):
        return self.error is not None and self.error <= programs.LARGEST_BACKWARD_ERROR


@dataclasses.dataclass
class Result:
    """All rows of one system. `known` is its inertia, from a theorem, from its eigenvalues, or from a vote of the rows."""

    system: str
    n: int
    known: list
    source: str
    rows: list

    def row(self, solver):
        return next((row for row in self.rows if row.solver == solver), None)

    def inertia_verdict(self, row):
        """right, wrong (and certain), uncertain, or unjudged: nobody knows, or the matrix is singular to rounding."""
        if row.last.status != "exact":
            return "uncertain"
        if self.known is None:
            return "unjudged"
        return "right" if all(answer.inertia == self.known for answer in row.answers) else "wrong"

    def misses_residual(self, row):
        """Whether the row's residual exceeds the bound and another one's does not."""
        return bool(row.answers) and not row.is_accurate and any(other.is_accurate for other in self.rows)

    def ratio(self, row, ours):
        """The row's time to solution over that of `ours`, if both are accurate."""
        if not ours or row is ours or not row.is_accurate or not ours.is_accurate:
            return None
        return row.median("total") / ours.median("total")

    def best_peer(self, ours):
        """The smallest ratio of an accurate peer."""
        return min((ratio for row in self.rows if row.is_peer and (ratio := self.ratio(row, ours))), default=None)


def vote(rows):
    """Returns the inertia on which at least two of the solvers with delayed pivots agree and no other one disagrees, or None."""
    votes = {row.solver.partition("-")[0]: row.last.inertia for row in rows
             if row.answers and row.solver in VOTERS and row.last.status == "exact"}
    inertias = list(votes.values())
    return inertias[0] if len(inertias) > 1 and all(inertia == inertias[0] for inertia in inertias) else None


def verdict(result, row):
    """Words for the last column."""
    if not row.answers:
        return f"failed: {row.failure}"
    found = result.inertia_verdict(row)
    differs = found == "uncertain" and result.known and row.last.inertia != result.known
    words = ["WRONG INERTIA" if found == "wrong" else "uncertain, and differs" if differs else found]
    return ", ".join(words + ([] if row.is_accurate else ["inaccurate"]))


def _line(cells):
    return "  ".join(cell.ljust(width) if column in (0, 2) else cell.rjust(width)
                     for column, (cell, width) in enumerate(zip(cells, (*WIDTHS, 0)))).rstrip()


def _cells(result, row, ours, is_first):
    cells = [result.system if is_first else "", str(result.n) if is_first else "", row.solver]
    if not row.answers:
        return cells + [""] * (len(HEADER) - 1 - len(cells)) + [verdict(result, row)]
    ratio = result.ratio(row, ours)
    return cells + [*(f"{row.median(phase):.4f}" for phase in PHASES), f"{ratio:.2f}" if ratio else "", f"{row.error:.1e}",
                    " ".join(map(str, row.last.inertia)), row.last.status, str(row.last.perturbed), verdict(result, row)]


def lines_of(result, ours):
    """The lines of one system. The ratios compare with the solver `ours`."""
    known = " ".join(map(str, result.known)) if result.known else "unknown"
    lines = [_line(_cells(result, row, result.row(ours), k == 0)) for k, row in enumerate(result.rows)]
    return lines + [f"{'':{WIDTHS[0]}}  inertia {known} ({result.source})"]


def heading():
    return _line(HEADER)


def _counts(results, solver):
    rows = [(result, row) for result in results if (row := result.row(solver))]
    answered = [(result, row) for result, row in rows if row.answers]
    verdicts = [result.inertia_verdict(row) for result, row in answered]
    return {"systems": len(rows), "failed": len(rows) - len(answered),
            **{kind: verdicts.count(kind) for kind in ("right", "wrong", "uncertain", "unjudged")},
            "inaccurate": sum(not row.is_accurate for _, row in answered),
            "beaten": sum(result.misses_residual(row) for result, row in rows)}


def summary(results, ours, min_rows):
    """Counts of each solver, and geometric means of the ratios."""
    solvers = list(dict.fromkeys(row.solver for result in results for row in result.rows))
    columns = ("systems", "failed", "right", "wrong", "uncertain", "unjudged", "inaccurate", "beaten")
    lines = [f"{'solver':<21}" + "".join(f"{column:>12}" for column in columns)]
    for solver in solvers:
        counts = _counts(results, solver)
        lines.append(f"{solver:<21}" + "".join(f"{counts[column]:>12}" for column in columns))
    lines.append("wrong: another inertia than the known one, called exact; beaten: inaccurate where another solver is accurate")
    for least in (0, min_rows):
        lines += _means([result for result in results if result.n >= least], solvers, ours, least)
    return lines


def _means(results, solvers, ours, least):
    where = f"systems with at least {least} rows" if least else "all systems"
    lines = []
    for name in [solver for solver in solvers if solver != ours] + ["best peer"]:
        ratios = [result.best_peer(result.row(ours)) if name == "best peer" else
                  result.ratio(row, result.row(ours)) if (row := result.row(name)) else None for result in results]
        known = [ratio for ratio in ratios if ratio]
        if known:
            lines.append(f"{where}: {name} takes {table.geometric_mean(known):.2f} times the time of {ours} "
                         f"(geometric mean of {len(known)}; lowest {min(known):.2f})")
    return lines
