# SPDX-License-Identifier: BSD-3-Clause
"""Ends every process that a test has started, whether the test passes, fails, runs out of time or is interrupted.

A script that imports this module adopts the orphans among its descendants, so that they stay in its process tree. This module finds them
there, and so does CTest, which kills the tree of a test at its timeout. The script kills all remaining processes at its end.
"""
import atexit
import contextlib
import ctypes
import os
import pathlib
import signal
import time
import unittest

PR_SET_CHILD_SUBREAPER = 36
INTERRUPTIONS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def descendants(process):
    """Returns the process and its descendants, each after its parent."""
    children = []
    with contextlib.suppress(OSError):  # a process or a thread may have ended
        for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
            children += (thread / "children").read_text().split()
    return [process, *(one for child in sorted(map(int, children)) for one in descendants(child))]


def state_of(process):
    """Returns the state of a process as one letter, such as S for sleeping or T for stopped; empty if the process does not exist."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def has_ended(process):
    """Returns whether a process has ended, even if its parent has not read its exit code yet."""
    return state_of(process) in ("", "X", "Z")


def command_of(process):
    """Returns the first words of the command line of a process; empty if the process does not exist."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/cmdline").read_text(errors="replace")[:200].replace("\0", " ").strip()
    return ""


def kill(processes):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def running():
    """Returns the descendants of this process that have not ended."""
    return [process for process in descendants(os.getpid())[1:] if not has_ended(process)]


def end_all(patience=0):
    """Kills all descendants of this process that have not ended after `patience` seconds. Returns their commands."""
    end = time.monotonic() + patience
    while (left := running()) and time.monotonic() < end:
        time.sleep(0.02)
    commands = [f"{process}: {command_of(process)}" for process in left]
    while left:  # a process may have started another one meanwhile
        kill(left)
        time.sleep(0.01)
        left = running()
    return commands


class ProcessTest(unittest.TestCase):
    """A test that fails if it leaves a process behind."""

    def setUp(self):
        self.addCleanup(self.expect_all_ended)

    def expect_all_ended(self, patience=20):
        self.assertEqual(end_all(patience), [], f"these processes had not ended after {patience} s, and were killed")


def interrupted(_signal, _frame):
    end_all()
    raise KeyboardInterrupt


def adopt_orphans():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this process cannot adopt orphans")


adopt_orphans()
atexit.register(end_all)
for number in INTERRUPTIONS:
    if signal.getsignal(number) != signal.SIG_IGN:
        signal.signal(number, interrupted)
