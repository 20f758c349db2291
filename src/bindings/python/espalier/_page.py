# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run as HTML."""

from __future__ import annotations

import json
import os
from html import escape
from pathlib import Path
from typing import Any, Iterable

from .errors import InputError

_STYLE = """
body { font-family: sans-serif; color: #222222; max-width: 62em; margin: 1.5em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 0.25em 0.9em; text-align: right; border-bottom: 1px solid #dddddd; }
th:first-child, td:first-child { text-align: left; }
"""


def readable_bytes(count: float) -> str:
    """Returns a number of bytes as text, with three digits and a unit."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000:
            break
        count /= 1000
    else:
        unit = "TB"
    return f"{count:.3g} {unit}"


def _seconds(value: float) -> str:
    for unit in ("s", "ms"):
        if value >= 1:
            break
        value *= 1000
    else:
        unit = "us"
    return f"{value:.3g} {unit}"


def _table(rows: Iterable[Iterable[Any]], head: Iterable[str] = ()) -> str:
    heads = "".join(f"<th>{escape(text)}</th>" for text in head)
    lines = [f"<tr>{heads}</tr>\n"] if heads else []
    lines += ["<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>\n" for row in rows]
    return "<table>\n" + "".join(lines) + "</table>\n"


def _facts(known: dict[str, Any]) -> list[tuple[str, Any]]:
    """Returns rows of a table: facts of the matrix and of its factor, and the times of the phases."""
    symbolic = known["symbolic"]
    facts = [
        ("n", known["matrix"]["n"]),
        ("nnz(A), one triangle", known["matrix"]["nnz_lower"]),
        ("nnz(L)", symbolic["nnz_l"]),
        ("ordering", known["ordering"]["method"]),
        ("predicted memory", readable_bytes(symbolic["predicted_peak_bytes"])),
        ("time of the analysis", _seconds(known["ordering"]["seconds"] + symbolic["seconds"])),
    ]
    if known["factor"]["runs"]:
        rate = f"{known['factor']['gflops']:.3g} Gflop/s"
        facts.append(("fastest factorization", f"{_seconds(known['factor']['seconds'])}, {rate}"))
    else:
        facts.append(("predicted factorization", _seconds(symbolic["predicted_factor_seconds"])))
    if known["factor"].get("factorization") == "ldlt" and known["factor"]["inertia"]["status"]:
        inertia = known["factor"]["inertia"]
        numbers = ", ".join(f"{inertia[sign]} {sign}" for sign in ("positive", "negative", "zero"))
        facts.append(("inertia", f"{numbers} ({inertia['status']})"))
    if known["solve"]["nrhs"]:
        facts.append(("solve", _seconds(known["solve"]["seconds"])))
        facts.append(("backward error", f"{known['solution']['backward_error']:.2g}"))
    return facts


def facts_table(known: dict[str, Any]) -> str:
    """Returns an HTML table of the matrix and the factor of a report."""
    return _table(_facts(known))


def _run_facts(known: dict[str, Any]) -> list[tuple[str, Any]]:
    machine = known["machine"]
    return [
        ("machine", f"{machine['host']}, {machine['cpu_workers']} CPU workers"),
        ("BLAS", machine["blas"]),
        ("policy", known["scheduler"]["active"]),
        ("granularity", known["factor"]["granularity"]),
        ("operations", f"{known['symbolic']['flops']:.3g}"),
        ("workers idle", f"{100 * known['tasks']['idle_share']:.1f} %"),
    ]


def _kinds(known: dict[str, Any]) -> list[list[Any]]:
    return [
        [kind["kind"], kind["worker"], kind["count"], _seconds(kind["seconds"]), _seconds(kind["predicted_seconds"])]
        for kind in known["kinds"]
    ]


def _body(known: dict[str, Any]) -> str:
    parts = [f"<p>{escape(warning)}</p>\n" for warning in known["warnings"]]
    if known["message"]:
        parts.append(f"<p>{escape(known['message'])}</p>\n")
    parts.append(facts_table(known))
    if known["factor"]["runs"]:
        parts.append(_table(_run_facts(known)))
    if known["kinds"]:
        parts.append("<p>Tasks of the fastest factorization</p>\n")
        parts.append(_table(_kinds(known), ["kind", "worker", "tasks", "time", "predicted"]))
    return "".join(parts)


def _page(known: dict[str, Any]) -> str:
    title = escape(known["matrix"]["name"] or f"A matrix with {known['matrix']['n']} rows")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{_body(known)}</body>\n</html>\n"
    )


class RunPage:
    """The report of a run as a page, which a notebook shows and :meth:`save` writes to a file.

    `known` is the report as a dictionary. `html` is the page, which needs no other file.
    """

    def __init__(self, known: dict[str, Any], html: str):
        self.known = known
        self.html = html

    def _repr_html_(self) -> str:
        """Returns the page in a frame, so that its style does not change the notebook."""
        style = "width: 100%; height: 45em; border: 0"
        return f'<iframe srcdoc="{escape(self.html)}" style="{style}"></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file. Raises OSError if the file cannot be written."""
        Path(path).write_text(self.html, encoding="utf-8")


def report(factor_or_path: Any) -> RunPage:
    """Returns a page of a factor, or of a file that `espalier solve --report` has written.

    The page of a factor shows the state at the time of the call, with charts of the tasks of the last factorization. The page of
    a file has tables only. Raises InputError if the file is not a report, and OSError if it cannot be read.
    """
    if not isinstance(factor_or_path, (str, os.PathLike)):
        return RunPage(factor_or_path.report(), factor_or_path._core.page())
    try:
        known = json.loads(Path(factor_or_path).read_text(encoding="utf-8"))
        return RunPage(known, _page(known))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{os.fspath(factor_or_path)} is not a report of Espalier ({error!r})") from error
