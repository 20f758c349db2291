# SPDX-License-Identifier: BSD-3-Clause
"""Shows the elapsed time of a long operation on a terminal or in a notebook."""

from __future__ import annotations

import contextvars
import sys
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Protocol

SHOWN_FROM = 2.0  # minimum time of an operation that is shown, predicted or elapsed, in seconds
INTERVAL = 0.2  # seconds between two updates


class _Place(Protocol):
    """A place that shows progress."""

    def show(self, text: str) -> None:
        """Replaces the displayed text."""

    def end(self, text: str) -> None:
        """Shows the last text; called once, after all calls of show()."""


class _Terminal:
    """One line, which is erased at the end."""

    erase_line = "\r\033[K"

    def show(self, text: str) -> None:
        sys.stderr.write(self.erase_line + text)
        sys.stderr.flush()

    def end(self, text: str) -> None:
        self.show("")


class _Notebook:
    """One output of a cell, which stays after the end."""

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
    """One line at the end, for output to a file or a pipe."""

    def show(self, text: str) -> None:
        pass

    def end(self, text: str) -> None:
        print(text, file=sys.stderr)


def _place() -> _Place | None:
    """Returns the notebook or the terminal, or None. IPython is not imported here, because a notebook has imported it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        return _Notebook()
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else None


def _show_until(ended: threading.Event, place: _Place, operation: str, predicted: float, at_once: bool) -> None:
    begin = time.monotonic()
    shown = at_once
    while not ended.wait(INTERVAL):
        seconds = time.monotonic() - begin
        shown = shown or seconds > SHOWN_FROM
        if shown:
            place.show(f"{operation}: {seconds:.0f} s of about {predicted:.0f} s")
    if shown:
        place.end(f"{operation}: {time.monotonic() - begin:.2f} s")


@contextmanager
def progress_of(operation: str, wanted: bool | None, predict: Callable[[], float]) -> Iterator[None]:
    """Shows the elapsed time of the work inside, which must release the lock of the interpreter.

    If `wanted` is True, the time is shown from the start. If it is False, nothing is shown. If it is None, the time is shown
    only on a terminal or in a notebook: from the start if predict() returns more than SHOWN_FROM, and otherwise after
    SHOWN_FROM. predict() is called only if its result is needed.
    """
    place = None if wanted is False else _place() or (_Log() if wanted else None)
    if place is None:
        yield
        return
    predicted = predict()
    ended = threading.Event()
    # A notebook finds the cell of an output by the context.
    context = contextvars.copy_context()
    given = (_show_until, ended, place, operation, predicted, bool(wanted) or predicted > SHOWN_FROM)
    thread = threading.Thread(target=context.run, args=given, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
