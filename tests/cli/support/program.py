# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program for the tests of this folder: python3 tests/cli/NAME.py with ESPALIER_PROGRAM set, as ctest does."""
import collections
import contextlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from .processes import ProcessTest, descendants, kill

Outcome = collections.namedtuple("Outcome", "code out err")

PROGRAM = os.environ.get("ESPALIER_PROGRAM", "")
DATA = pathlib.Path(os.environ.get("ESPALIER_TEST_DATA", pathlib.Path(__file__).parents[2] / "data"))

# Whether to test all combinations of options, as tools/test.sh --all does, instead of each value at least once.
ALL_COMBINATIONS = os.environ.get("ESPALIER_ALL_COMBINATIONS") == "1"

# Maximum backward error of a solution: the stable algorithm errs by a few units of rounding.
ACCEPTED_ERROR = 1e-13


def combinations(*values):
    """Returns all combinations of the values if ALL_COMBINATIONS is set; otherwise just enough to use each value once."""
    if ALL_COMBINATIONS:
        return itertools.product(*values)
    return [tuple(some[k % len(some)] for some in values) for k in range(max(map(len, values)))]


def skip(reason):
    """Ends the script as a skipped test."""
    print("skipped:", reason)
    sys.exit(77)


def is_sanitized():
    """Returns whether the program is built with the address sanitizer, which reserves terabytes of address space."""
    return b"__asan_init" in pathlib.Path(PROGRAM).read_bytes()


def cpu_name():
    """Returns the name that the program gives the processor in its files about a machine."""
    info = pathlib.Path("/proc/cpuinfo").read_text()
    name, family, model = (re.search(rf"^{key}\s*: (.*)$", info, re.M) for key in ("model name", "cpu family", "model"))
    return f"{name[1]}, family {family[1]} model {model[1]}" if name else "unknown"


def environment(**changes):
    """Returns the environment of this process with changes; None removes a variable. StarPU's policy variables are left out."""
    result = {name: value for name, value in os.environ.items() if name not in ("STARPU_SCHED", "STARPU_NCPU")}
    for name, value in changes.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = str(value)
    return result


# The leak checker prints this if a StarPU thread ends during the check. Leaks are still reported.
THREAD_HAS_ENDED = re.compile(r"^==\d+==Unable to get registers from thread \d+\.\n", re.MULTILINE)


def pending_files(process, folder):
    """Returns the sizes of files in a folder that a process has open and has not published. Such files have no name if the file system
    supports that."""
    sizes = []
    with contextlib.suppress(OSError):  # the process may have ended, or closed the file meanwhile
        for descriptor in pathlib.Path(f"/proc/{process}/fd").iterdir():
            place = os.readlink(descriptor)
            if place.startswith(str(folder)) and (place.endswith("(deleted)") or "/.espalier-" in place):
                sizes.append(descriptor.stat().st_size)
    return sizes


def whereabouts(process):
    """Returns the position of each thread of a process: its stack if gdb is installed, its system call otherwise."""
    if shutil.which("gdb"):
        return subprocess.run(["gdb", "-batch", "-p", str(process), "-ex", "thread apply all backtrace 12"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    lines = []
    for thread in sorted(pathlib.Path(f"/proc/{process}/task").iterdir()):
        try:
            said = [(thread / name).read_text().strip() for name in ("comm", "wchan", "syscall", "stat")]
            lines.append(" | ".join((thread.name, *said)))
        except OSError as error:
            lines.append(f"{thread.name} | {error}")
    return "\n".join(lines)


def espalier(*arguments, timeout=240, prefix=(), **options):
    """Runs the program, started by the command `prefix` if given. After `timeout` seconds, the failure message says where all its processes
    wait."""
    command = [*prefix, PROGRAM, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **{"stdin": subprocess.DEVNULL, "env": environment(), **options}) as run:
        try:
            out, err = run.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            family = descendants(run.pid)
            waiting = [f"process {process}:\n{whereabouts(process)}" for process in family]
            kill(family)
            raise AssertionError("\n".join([f"{' '.join(command)} has not ended after {timeout} s", *waiting])) from None
        except BaseException:
            kill(descendants(run.pid))
            raise
    return Outcome(run.returncode, out.decode(errors="replace"), THREAD_HAS_ENDED.sub("", err.decode(errors="replace")))


class ProgramTest(ProcessTest):
    """A test of the program. Each test has an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        super().setUp()

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def expect_success(self, *arguments, **options):
        outcome = espalier(*arguments, **options)
        self.assertEqual((outcome.code, outcome.err), (0, ""), f"espalier {arguments}")
        return outcome

    def expect_failure(self, code, *arguments, says=(), **options):
        """Expects an exit code, one line on stderr that contains all strings of `says`, nothing on stdout, and no new file."""
        before = self.files()
        outcome = espalier(*arguments, **options)
        self.assertEqual(outcome.code, code, f"espalier {arguments}: {outcome.err}")
        self.assertRegex(outcome.err, r"\Aespalier: [^\n]+\n\Z", f"espalier {arguments}")
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, outcome.err, f"espalier {arguments}")
        self.assertEqual(outcome.out, "")
        self.assertEqual(self.files(), before)
        return outcome

    def report_of(self, *arguments, code=0, **options):
        """Returns the report of a run that must end with this exit code; None allows any."""
        path = self.folder / "report.json"
        outcome = espalier(*arguments, "--report", path, **options)
        if code is not None:
            self.assertEqual(outcome.code, code, f"espalier {arguments}: {outcome.err}")
        report = json.loads(path.read_text())
        path.unlink()
        return report

    def expect_accurate(self, report):
        self.assertEqual(report["status"], "ok")
        self.assertLessEqual(report["solution"]["backward_error"], ACCEPTED_ERROR)
        self.assertGreaterEqual(report["solution"]["backward_error"], 0)

    def wait_for(self, what, seconds=60):
        """Calls the function until its result is true. Returns the result."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if result := what():
                return result
            time.sleep(0.02)
        return self.fail(f"waited {seconds} s for nothing")


def main():
    if not PROGRAM:
        skip("ESPALIER_PROGRAM is not set to the program's path")
    unittest.main()
