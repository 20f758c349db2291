# SPDX-License-Identifier: BSD-3-Clause
"""Results of callers.py: medians, ratios, equal results, and the table."""
import dataclasses
import math
import statistics

OURS, MUMPS, MKL, OWN = SOLVERS = ("Espalier", "MUMPS", "MKL", "own solver")
# Maximum difference of two objectives, relative to the larger of 1 and their magnitude.
SAME_OBJECTIVE = 1e-6
HEADER = ["program", "problem", "rows", *SOLVERS, "ratio", "iterations", "same result", "spread"]


@dataclasses.dataclass(frozen=True)
class Problem:
    """A problem of a program. `solvers` has the argument of the script for each solver that the program can use. `default` is the
    solver that the program uses by itself, and `default_name` its name."""

    program: str
    name: str
    script: str
    arguments: tuple
    solvers: dict
    default: str
    default_name: str


@dataclasses.dataclass
class Outcome:
    """One run: the seconds of each solve, and the result of the last one. Solvers without iterations have None."""

    rows: int
    seconds: list
    iterations: int | None
    objective: float
    status: str

    @property
    def first(self):
        return self.seconds[0]

    @property
    def later(self):
        """Median of the solves after the first one, or None if there is none."""
        return statistics.median(self.seconds[1:]) if len(self.seconds) > 1 else None

    def agrees_with(self, other):
        difference = abs(self.objective - other.objective)
        return self.status == other.status and difference <= SAME_OBJECTIVE * max(1, abs(other.objective))


@dataclasses.dataclass
class Cell:
    """The runs of one solver on one problem. A cell without outcomes failed."""

    outcomes: list = dataclasses.field(default_factory=list)
    failure: str = ""

    def median(self, field):
        """Median of `first` or `later` over the runs, or None if no run has it."""
        values = [value for outcome in self.outcomes if (value := getattr(outcome, field)) is not None]
        return statistics.median(values) if values else None

    def spread(self):
        """Difference of the slowest and the fastest first solve, as a share of the median. 0 for a failed cell."""
        times = [outcome.first for outcome in self.outcomes]
        return (max(times) - min(times)) / statistics.median(times) if times else 0


def differing(problem, cells):
    """Names of the solvers with a result that differs from the program's own solver. None if that one failed."""
    if not cells[problem.default].outcomes:
        return None
    reference = cells[problem.default].outcomes[0]
    return [name for name, cell in cells.items() if not all(outcome.agrees_with(reference) for outcome in cell.outcomes)]


def failed(problem, cells):
    """Whether Espalier failed, or found another result than the program's own solver."""
    return not cells[OURS].outcomes or OURS in (differing(problem, cells) or [])


def _pair(values, form):
    return " / ".join(form(value) for value in values if value is not None)


def _seconds(value):
    """Three significant digits."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def _time(problem, cells, name):
    if name == OWN and problem.default != OWN:
        return problem.default_name
    if name not in cells:
        return "–"
    if not cells[name].outcomes:
        return "failed"
    text = _pair((cells[name].median("first"), cells[name].median("later")), _seconds)
    return f"{text} ({problem.default_name})" if name == OWN else text


def _ratios(problem, cells):
    """The time of the program's own solver over Espalier's, for the first solve and for later ones."""
    ours, theirs = cells[OURS], cells[problem.default]
    pairs = [(ours.median(field), theirs.median(field)) for field in ("first", "later")]
    return _pair([their / our if our and their else None for our, their in pairs], lambda ratio: f"{ratio:.2f}") or "–"


def _iterations(problem, cells):
    """The numbers of Espalier and of the program's own solver."""
    numbers = [cells[name].outcomes[-1].iterations if cells[name].outcomes else None for name in (OURS, problem.default)]
    return "–" if numbers == [None, None] else " / ".join("–" if number is None else str(number) for number in numbers)


def _cells(problem, cells):
    rows = next((str(cell.outcomes[0].rows) for cell in cells.values() if cell.outcomes), "?")
    others = differing(problem, cells)
    return [problem.program, problem.name, rows, *(_time(problem, cells, name) for name in SOLVERS), _ratios(problem, cells),
            _iterations(problem, cells), "unknown" if others is None else "no: " + ", ".join(others) if others else "yes",
            f"{max(cell.spread() for cell in cells.values()):.0%}"]


def lines_of(results):
    """The lines of the table in Markdown. `results` has pairs of a problem and its cells by solver."""
    rules = ["---"] * 2 + ["--:"] * (len(HEADER) - 2)
    return ["| " + " | ".join(cells) + " |" for cells in (HEADER, rules, *(_cells(*result) for result in results))]
