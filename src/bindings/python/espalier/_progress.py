# SPDX-License-Identifier: BSD-3-Clause
"""Says on a terminal or in a notebook what takes so long."""

from __future__ import annotations

import contextvars
import sys
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Protocol

SHOWN_FROM = 2.0  # seconds, predicted or gone
INTERVAL = 0.2  # seconds between two updates


class _Place(Protocol):
    """Where progress is shown."""

    def show(self, text: str) -> None:
        """Replaces the text that is shown."""

    def end(self, text: str) -> None:
        """Is called once, last."""


class _Terminal:
    """One line, which is erased in the end."""

    erase_line = "\r\033[K"

    def show(self, text: str) -> None:
        sys.stderr.write(self.erase_line + text)
        sys.stderr.flush()

    def end(self, text: str) -> None:
        self.show("")


class _Notebook:
    """One output of a cell, which stays."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, text: str) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(_Text(text), display_id=True)
        else:
            self._handle.update(_Text(text))

    def end(self, text: str) -> None:
        self.show(text)


class _Text:
    """Text that a notebook shows as HTML."""

    def __init__(self, text: str):
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<code>{self._text}</code>"


class _Log:
    """A line when all is over, for whatever keeps what is written."""

    def show(self, text: str) -> None:
        pass

    def end(self, text: str) -> None:
        print(text, file=sys.stderr)


def _place() -> _Place | None:
    """Returns where a user looks, or None. IPython is never imported: a notebook has done that."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        return _Notebook()
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else None


def _show_until(ended: threading.Event, place: _Place, what: str, predicted: float, at_once: bool) -> None:
    begin = time.monotonic()
    shown = at_once
    while not ended.wait(INTERVAL):
        seconds = time.monotonic() - begin
        shown = shown or seconds > SHOWN_FROM
        if shown:
            place.show(f"{what}: {seconds:.0f} s of about {predicted:.0f} s")
    if shown:
        place.end(f"{what}: {time.monotonic() - begin:.2f} s")


@contextmanager
def progress_of(what: str, wanted: bool | None, predict: Callable[[], float]) -> Iterator[None]:
    """Shows how long the work inside has been running, while it leaves the interpreter's lock to others.

    With `wanted` None it does so where somebody looks, at once if predict() returns more than two seconds, else after as many;
    with True always and at once, with False never. predict() is called only where its result is needed.
    """
    place = None if wanted is False else _place() or (_Log() if wanted else None)
    if place is None:
        yield
        return
    predicted = predict()
    ended = threading.Event()
    # In its context a notebook finds the cell that an output belongs to.
    context = contextvars.copy_context()
    given = (_show_until, ended, place, what, predicted, bool(wanted) or predicted > SHOWN_FROM)
    thread = threading.Thread(target=context.run, args=given, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
