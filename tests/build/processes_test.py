# SPDX-License-Identifier: BSD-3-Clause
"""Tests, and tools/test.sh, leave no process behind, however they end."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CLI = REPOSITORY / "tests" / "cli"
sys.path.insert(0, str(CLI))

from support.processes import ProcessTest, end_all, has_ended  # noqa: E402

# A shell whose child ignores the signals of a terminal, like a program that is busy forever.
COMMAND = """trap '' HUP INT TERM; echo $$ >>$PIDS; sleep 600 & echo $! >>$PIDS; wait"""
HEAD = f"""
import os, pathlib, subprocess, sys, threading, time, unittest
sys.path.insert(0, {str(CLI)!r})
from support.program import ProgramTest
from support.processes import ProcessTest
COMMAND = ["sh", "-c", {COMMAND!r}]
def started(count=1):
    while len(pathlib.Path(os.environ["PIDS"]).read_text().split()) < 2 * count:
        time.sleep(0.01)
"""


# Replaces cmake and ctest: the target checked_tests and the tests never end, unless FAIL is set.
STAND_IN = """#!/bin/sh
case "${0##*/} $*" in
  "cmake "*checked_tests*) echo $$ >>"$PIDS"; sleep 600 ;;
  "ctest "*) until [ -s "$PIDS" ]; do sleep 0.01; done; echo $$ >>"$PIDS"; [ -z "$FAIL" ] || exit 8; sleep 600 ;;
esac
"""


class LeavingNothing(ProcessTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.pids, self.output = (pathlib.Path(folder.name) / name for name in ("pids", "output"))
        self.pids.touch()

    def wait_for_pids(self):
        while len(self.pids.read_text().split()) < 2:
            time.sleep(0.01)

    def expect_none_left(self, script, count=2):
        """Expects that the script ends, and that its processes end soon after. Returns its output."""
        script.wait(timeout=60)
        output = self.output.read_text()
        pids = self.pids.read_text().split()
        self.assertEqual(len(pids), count, output)
        end = time.monotonic() + 10
        while not all(map(has_ended, pids)) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual([pid for pid in pids if not has_ended(pid)], [], output)
        return output


class Scripts(LeavingNothing):
    def start(self, text):
        with self.output.open("w") as output:  # not a pipe, because a remaining process would keep it open
            return subprocess.Popen([sys.executable, "-B", "-c", HEAD + textwrap.dedent(text)], stdin=subprocess.DEVNULL,
                                    stdout=output, stderr=output, env={**os.environ, "PIDS": str(self.pids)})

    def test_that_run_out_of_time(self):
        script = self.start("subprocess.run(COMMAND, timeout=1)")
        self.assertIn("TimeoutExpired", self.expect_none_left(script))
        self.assertEqual(script.returncode, 1)

    def test_that_are_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                self.pids.write_text("")
                script = self.start("subprocess.Popen(COMMAND, start_new_session=True); started(); time.sleep(600)")
                self.wait_for_pids()
                script.send_signal(number)
                self.assertIn("KeyboardInterrupt", self.expect_none_left(script))
                self.assertNotEqual(script.returncode, 0)

    def test_whose_processes_have_lost_their_parent_or_are_of_another_thread(self):
        script = self.start("""
            subprocess.run(["sh", "-c", '"$@" & exit', "sh", *COMMAND], start_new_session=True)
            thread = threading.Thread(target=lambda: (subprocess.Popen(COMMAND), time.sleep(600)), daemon=True)
            thread.start()
            started(2)
            """)
        self.expect_none_left(script, 4)

    def test_with_a_test_that_leaves_a_process(self):
        for base in ("ProcessTest", "ProgramTest"):
            with self.subTest(base=base):
                self.pids.write_text("")
                script = self.start(f"""
                    class Test({base}):
                        def expect_all_ended(self):
                            super().expect_all_ended(patience=0.1)
                        def test(self):
                            subprocess.Popen(COMMAND)
                            started()
                    unittest.main()
                    """)
                output = self.expect_none_left(script)
                self.assertIn("these processes had not ended", output)
                self.assertIn("sleep 600", output)
                self.assertEqual(script.returncode, 1)

    def test_with_processes_that_end_soon(self):
        process = subprocess.Popen(["sleep", "0.2"])
        self.assertEqual(end_all(patience=60), [])
        self.assertEqual(process.wait(), 0)


class AllTests(LeavingNothing):
    """tools/test.sh with replacements for the programs that it starts."""

    def start(self, *arguments, fail=""):
        root = self.pids.parent
        for name, text in (("bin/cmake", STAND_IN), ("bin/ctest", STAND_IN), ("bin/pkg-config", "#!/bin/sh\nexit 1\n"),
                           ("tools/setup.sh", "#!/bin/sh\n")):
            path = root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        (root / "build").mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / "tools" / "test.sh", root / "tools")
        self.pids.write_text("")
        with self.output.open("w") as output:
            return subprocess.Popen(["bash", root / "tools" / "test.sh", *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                    env={**os.environ, "PIDS": str(self.pids), "FAIL": fail, "PATH": f"{root}/bin:{os.environ['PATH']}"})

    def test_that_are_ended(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                script = self.start()
                self.wait_for_pids()
                script.send_signal(number)
                self.expect_none_left(script)
                self.assertNotEqual(script.returncode, 0)

    def test_that_are_required_and_left_out(self):
        script = self.start("--require", "fortran,petsc")
        self.assertIn("test: petsc is required, but there is no PETSc", self.expect_none_left(script, 0))
        self.assertEqual(script.returncode, 2)

    def test_of_wrong_usage(self):
        for arguments in (["--fast"], ["--require"], ["--require", "opencl"], ["--require", "cuda,"], ["--quick", "all"]):
            with self.subTest(arguments=arguments):
                script = self.start(*arguments)
                self.assertRegex(self.expect_none_left(script, 0), r"\Atest: usage: tools/test.sh [^\n]*\n\Z")
                self.assertEqual(script.returncode, 2)

    def test_of_which_some_fail(self):
        script = self.start(fail="yes")
        self.expect_none_left(script)
        self.assertEqual(script.returncode, 8)


if __name__ == "__main__":
    unittest.main()
