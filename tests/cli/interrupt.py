#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C and SIGTERM while the program computes and while it writes leave no files behind. Also tests the line of progress."""
import os
import pty
import select
import signal
import subprocess
import time

from support.program import PROGRAM, ProgramTest, environment, main, pending_files

# The factorization is repeated for hours, so that the process does not end by itself.
ENDLESS = ["solve", "laplace2d:60", "--granularity", "block", "--repeat", "1000000"]


class Interrupt(ProgramTest):
    def start(self, *arguments, **streams):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], env=environment(), **streams)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def expect_end_by(self, process, signal_number):
        out, err = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out, err), (128 + signal_number, b"", b"espalier: interrupted\n"))

    def test_while_it_computes(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start(*ENDLESS, "--out", self.folder / "x.mtx", "--report", self.folder / "r.json")
            time.sleep(0.6)
            self.assertIsNone(process.poll())
            process.send_signal(number)
            self.expect_end_by(process, number)
            self.assertEqual(self.files(), [])

    def test_ends_although_nobody_reads_its_message(self):
        reader, writer = os.pipe()
        process = self.start(*ENDLESS, "--quiet", stderr=writer)
        os.close(writer)
        os.close(reader)
        time.sleep(0.6)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 128 + signal.SIGTERM)

    def test_while_it_searches(self):
        process = self.start("tune", "laplace3d:12", "--time", "1000", "--out", self.folder / "tuning.json")
        time.sleep(0.6)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.expect_end_by(process, signal.SIGINT)
        self.assertEqual(self.files(), [])

    def interrupted_while_writing(self, old):
        """Returns a process that got SIGINT while it wrote, or None if it finished earlier."""
        process = self.start("generate", "laplace3d:130", old)
        while not any(pending_files(process.pid, self.folder)):
            if process.poll() is not None:
                return None
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        return None if process.wait(timeout=20) == 0 else process

    def test_while_it_writes(self):
        for name in ("a.mtx", "a.mtx.gz"):
            old = self.write(name, "old")
            for _ in range(5):  # on a busy machine the check may come too late
                process = self.interrupted_while_writing(old)
                if process:
                    break
                old.write_text("old")
            self.assertIsNotNone(process, "the program ended before it could be interrupted")
            self.expect_end_by(process, signal.SIGINT)
            self.assertEqual(self.files(), [name])
            self.assertEqual(old.read_text(), "old")
            old.unlink()

    def test_between_blocks_of_a_solution(self):
        for moment in range(3):
            process = self.start("solve", "laplace2d:100", "--nrhs", 100000, "--quiet", "--out", self.folder / "x.mtx")
            self.wait_for(lambda: any(pending_files(process.pid, self.folder)))
            time.sleep(0.01 * moment)
            process.send_signal(signal.SIGINT)
            self.expect_end_by(process, signal.SIGINT)
            self.assertEqual(self.files(), [])

    def test_while_a_reader_keeps_it_waiting(self):
        reader, writer = os.pipe()
        process = self.start("solve", "laplace2d:200", "--quiet", "--out", "/dev/stdout", stdout=writer)
        os.close(writer)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 128 + signal.SIGINT)
        os.close(reader)

    def test_ignored_where_it_is_ignored_already(self):
        process = self.start(*ENDLESS, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        time.sleep(0.6)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.expect_end_by(process, signal.SIGTERM)

    def terminal_output(self, *arguments, until, seconds=15):
        """Returns the output of the program on a terminal, which is its stderr, until it contains a text."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = self.start(*arguments, stderr=theirs)
        os.close(theirs)
        seen = b""
        deadline = time.monotonic() + seconds
        while until not in seen and time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                seen += os.read(ours, 4096)
        return process, ours, seen

    def test_a_terminal_shows_long_phases_and_is_left_clean(self):
        process, terminal, seen = self.terminal_output(*ENDLESS, until=b"2 s")
        self.assertRegex(seen, rb"\r\033\[Kfactorizing 1000000 times: 1 s, 0 %, [0-9]+ (min|h) left")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 128 + signal.SIGINT)
        self.assertTrue(os.read(terminal, 4096).endswith(b"\r\033[Kespalier: interrupted\r\n"))

    def test_a_terminal_shows_how_many_right_hand_sides_are_solved_for(self):
        process, _, seen = self.terminal_output("solve", "laplace2d:100", "--nrhs", 100000, until=b"solving: 2 s")
        self.assertIsNone(process.poll())
        self.assertRegex(seen, rb"\r\033\[Ksolving: 1 s, [0-9]+ %, [0-9]+ (s|min|h) left")

    def test_quiet_is_quiet_on_a_terminal_too(self):
        process, _, seen = self.terminal_output(*ENDLESS, "--quiet", until=b"s", seconds=2)
        self.assertIsNone(process.poll())
        self.assertEqual(seen, b"")


if __name__ == "__main__":
    # A shell may have started this process with ignored signals, and the program would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    main()
