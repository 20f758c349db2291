# SPDX-License-Identifier: BSD-3-Clause
"""The goals of Espalier, as lines of a table: name, wanted value, found value, and the problem with the worst value."""
import dataclasses

import table


@dataclasses.dataclass
class Goal:
    """One line: `found` and `wanted` are texts, `met` is None if nothing was measured."""

    name: str
    wanted: str
    found: str
    met: bool | None
    worst: str = ""


def _known(pairs):
    return [(ratio, problem) for ratio, problem in pairs if ratio]


def against_peers(name, pairs, mean, least):
    """Ratios (peer's time / ours, problem) with a wanted geometric mean and a wanted minimum."""
    wanted = f"mean {mean}, each {least}"
    known = _known(pairs)
    if not known:
        return Goal(name, wanted, "not measured", None)
    lowest, where = min(known)
    found = table.geometric_mean(ratio for ratio, _ in known)
    missed = sorted(pair for pair in known if pair[0] < least)
    return Goal(name, wanted, f"mean {found:.2f}, least {lowest:.2f}", found >= mean and lowest >= least,
                ", ".join(f"{problem} {ratio:.2f}" for ratio, problem in missed) or where)


def at_least(name, pairs, least, unit=""):
    """Values (value, problem); each must be at least `least`."""
    known = _known(pairs)
    wanted = f"each {least}{unit}"
    if not known:
        return Goal(name, wanted, "not measured", None)
    lowest, where = min(known)
    missed = sorted(pair for pair in known if pair[0] < least)
    return Goal(name, wanted, f"least {lowest:.2f}{unit}", not missed,
                ", ".join(f"{problem} {value:.2f}" for value, problem in missed) or where)


def at_most(name, pairs, most, form=".3f"):
    """Values (value, problem); each must be at most `most`."""
    known = [pair for pair in pairs if pair[0] is not None]
    wanted = f"each {most} at most"
    if not known:
        return Goal(name, wanted, "not measured", None)
    highest, where = max(known)
    missed = sorted((pair for pair in known if pair[0] > most), reverse=True)
    return Goal(name, wanted, f"most {highest:{form}}", not missed,
                ", ".join(f"{problem} {value:{form}}" for value, problem in missed) or where)


def never_falls(name, series):
    """Values (value, problem) in order of size; each must be as high as the values before it, except for 2 % of noise."""
    known = _known(series)
    if len(known) < 2:
        return Goal(name, "never falls", "not measured", None)
    falls = [f"{problem} {value:.1f} after {max(v for v, _ in known[:k]):.1f}"
             for k, (value, problem) in enumerate(known) if k and value < 0.98 * max(v for v, _ in known[:k])]
    return Goal(name, "never falls", " ".join(f"{value:.1f}" for value, _ in known), not falls, ", ".join(falls))


def render(goals):
    rows = [("goal", "wanted", "found", "", "worst problem, or all that miss the goal")]
    rows += [(g.name, g.wanted, g.found, {True: "met", False: "MISSED", None: ""}[g.met], g.worst) for g in goals]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0])).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])
