#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""After every exit code and signal, the output files of a run are either all complete or all absent. Also tests the files that
they replace, links, long names, pipes, and errors that can be found before the work starts."""
import json
import os
import pathlib
import resource
import signal
import stat
import subprocess
import tempfile
import time

from support.coprocessors import has_coprocessors
from support.matrices import coordinate
from support.processes import descendants
from support.program import (DATA, PROGRAM, ProgramTest, combinations, environment, espalier, is_sanitized, main,
                             pending_files)

ENDLESS = ["laplace2d:60", "--granularity", "block", "--repeat", "1000000"]
HUGE = "laplace3d:900"  # the generator alone would take minutes
OLD = "contents from before"


def limited(kind, soft, hard):
    return lambda: resource.setrlimit(kind, (soft, hard))


class OutputsTest(ProgramTest):
    def start(self, *arguments, **options):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)],
                                   **{"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "env": environment(),
                                      **options})
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def all_of_solve(self, report=True):
        """Returns options for all outputs: one replaces an old file, others are in folders that do not exist yet."""
        old = self.write("x.mtx", OLD)
        return ["--out", old, "--html", self.folder / "page.html", "--trace", self.folder / "a" / "trace",
                *(["--report", self.folder / "r.json"] if report else [])]

    def expect_only_old(self, *more):
        self.assertEqual(self.files(), sorted(["x.mtx", *more]))
        self.assertEqual((self.folder / "x.mtx").read_text(), OLD)


class AfterFailures(OutputsTest):
    def test_every_exit_code_leaves_the_report_alone(self):
        inputs = tempfile.TemporaryDirectory()
        self.addCleanup(inputs.cleanup)
        indefinite, overflowing = (pathlib.Path(inputs.name) / name for name in ("indefinite.mtx", "overflowing.mtx"))
        indefinite.write_text(coordinate(2, [(1, 1, 1), (2, 2, -1)]))
        overflowing.write_text(coordinate(2, [(1, 1, "1e308"), (2, 1, "9e307"), (2, 2, "1e308")]))
        for code, arguments in ((1, [overflowing]), (2, ["laplace2d:x"]), (3, ["nothing.mtx"]), (4, [indefinite]),
                                (5, ["laplace3d:12", "--memory-limit", "1M"]), (6, ["laplace2d:3", "--sched", "no"]),
                                (7, ["laplace2d:9", "--html", "/dev/full"])):
            files = self.all_of_solve()
            if code == 7:
                del files[files.index("--html") : files.index("--html") + 2]
            outcome = espalier("solve", *arguments, *files)
            self.assertEqual(outcome.code, code, outcome.err)
            self.expect_only_old("r.json")
            self.assertNotEqual(json.loads((self.folder / "r.json").read_text())["status"], "ok")
            (self.folder / "r.json").unlink()

    def test_files_are_complete_where_the_summary_alone_cannot_be_written(self):
        """If only the summary cannot be written, the files are complete, and the report and the exit code show the
        failure."""
        for closes in (True, False):
            with open("/dev/full", "wb") as full:
                stdout = {"preexec_fn": lambda: os.close(1)} if closes else {"stdout": full}
                self.expect_full("standard output cannot be written to", stdout, "solve", "laplace2d:9", *self.all_of_solve())
                self.assertTrue((self.folder / "x.mtx").read_text().startswith("%%MatrixMarket"))
                self.assertEqual(json.loads((self.folder / "r.json").read_text())["status"], "error")
                matrix = self.folder / "a.mtx"
                self.expect_full("standard output cannot be written to", stdout, "generate", "laplace2d:9", matrix)
                self.assertTrue(matrix.exists())
                for word in ("--version", "--help"):
                    self.expect_full("standard output cannot be written to", stdout, word)

    def test_a_closed_standard_output_takes_no_solution(self):
        report = self.folder / "r.json"
        closed = {"preexec_fn": lambda: os.close(1)}
        self.expect_full("standard output is closed", closed, "solve", "laplace2d:9", "--out", "-", "--report", report)
        self.assertEqual(json.loads(report.read_text())["status"], "error")
        self.expect_full("standard output is closed", closed, "generate", "laplace2d:9", "-")
        self.assertEqual(self.files(), ["r.json"])

    def test_no_file_takes_the_place_of_a_closed_stream(self):
        """Text printed to the closed stream must not go into an output file."""
        def close_all():
            for stream in range(3):
                os.close(stream)
        matrix = self.folder / "a.mtx"
        for arguments, code in ((["generate", "laplace2d:3", matrix], 7),
                                (["generate", "laplace2d:3", matrix, "--quiet"], 0),
                                (["solve", matrix, "--out", self.folder / "x.mtx", "--report", self.folder / "r.json"], 7),
                                (["solve", self.folder / "none.mtx", "--report", self.folder / "s.json"], 3)):
            self.assertEqual(espalier(*arguments, preexec_fn=close_all).code, code, arguments)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["status"], "error")
        json.loads((self.folder / "s.json").read_text())
        for name in ("a.mtx", "x.mtx"):
            self.assertRegex((self.folder / name).read_text(), r"\A%%MatrixMarket[^\n]*\n[-+.e0-9 \n]+\Z")

    def expect_full(self, says, stdout, *arguments):
        run = subprocess.run([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             env=environment(), timeout=60, check=False, **stdout)
        self.assertEqual(run.returncode, 7, run.stderr)
        self.assertRegex(run.stderr, rf"\Aespalier: [^\n]*{says}[^\n]*\n\Z")

    def test_a_limit_on_the_size_of_files(self):
        for arguments in (["solve", "laplace2d:40", *self.all_of_solve(report=False)],
                          ["generate", "laplace2d:40", self.folder / "x.mtx"],
                          ["generate", "laplace2d:40", self.folder / "y.mtx", "--parts", "2"]):
            outcome = espalier(*arguments, preexec_fn=limited(resource.RLIMIT_FSIZE, 4096, 4096))
            self.assertEqual(outcome.code, 7, outcome.err)
            self.assertIn("File too large", outcome.err)
            self.expect_only_old()

    def test_a_lost_coprocessor(self):
        if not has_coprocessors():
            self.skipTest("this StarPU has no TCP/IP master-slave workers")
        process = self.start("solve", *ENDLESS, "--coprocessors", 1, "--workers", 1, *self.all_of_solve())
        children = self.wait_for(lambda: descendants(process.pid)[1:][1:])
        time.sleep(0.7)
        os.kill(children[-1], signal.SIGKILL)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 7)
        self.expect_only_old("r.json")


class AfterSignals(OutputsTest):
    def commands(self):
        return [
            (["solve", *ENDLESS, *self.all_of_solve()], 0.4),
            (["compare", *ENDLESS, "--sched", "lws", "--csv", self.folder / "c.csv", "--json", self.folder / "c.json"], 0.3),
            (["tune", "laplace3d:12", "--time", 1000, "--out", self.folder / "new" / "tuning.json"], 0.4),
            (["generate", "laplace3d:150", self.folder / "x.mtx"], None),
            (["generate", "laplace3d:150", self.folder / "parts.mtx", "--parts", 100], None),
        ]

    def end_by(self, number, arguments, seconds):
        process = self.start(*arguments)
        if seconds:
            time.sleep(seconds)
        else:
            self.wait_for(lambda: any(pending_files(process.pid, self.folder)))
        self.assertIsNone(process.poll(), arguments)
        process.send_signal(number)
        return process, process.communicate(timeout=20)[1].decode()

    def test_each_signal_leaves_what_was_there(self):
        signals = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGPIPE
        for number, (arguments, seconds) in combinations(signals, self.commands()):
            with self.subTest(signal=number, arguments=arguments):
                process, said = self.end_by(number, arguments, seconds)
                self.expect_only_old()
                if number == signal.SIGPIPE:  # silently, as other programs do
                    self.assertEqual((process.returncode, said), (-number, ""))
                    continue
                self.assertEqual(process.returncode, 128 + number)
                self.assertIn("CPU time" if number == signal.SIGXCPU else "interrupted", said)

    def test_even_sigkill_does(self):
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_WRONLY))
        except OSError:
            self.skipTest("this file system has no files without a name")
        for arguments, seconds in self.commands():
            if "compare" in arguments:
                continue  # its runs end by themselves
            self.end_by(signal.SIGKILL, arguments, seconds)
            self.expect_only_old()

    def test_the_limit_on_time_of_the_cpu(self):
        outcome = espalier("solve", *ENDLESS, *self.all_of_solve(), preexec_fn=limited(resource.RLIMIT_CPU, 1, 30))
        self.assertEqual(outcome.code, 128 + signal.SIGXCPU, outcome.err)
        self.expect_only_old()

    def test_a_reader_that_leaves(self):
        process = self.start("solve", "laplace2d:200", "--quiet", "--out", "/dev/stdout", "--html", self.folder / "p.html",
                             stdout=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual((process.wait(timeout=20), process.stderr.read()), (-signal.SIGPIPE, b""))
        self.assertEqual(self.files(), [])


class Names(OutputsTest):
    def test_permissions_stay(self):
        for mode in (0o600, 0o664):
            out = self.write("x.mtx", OLD)
            out.chmod(mode)
            self.expect_success("solve", "laplace2d:3", "--out", out)
            self.assertEqual(stat.S_IMODE(out.stat().st_mode), mode)
            self.assertNotEqual(out.read_text(), OLD)

    def test_links(self):
        real = self.write("real.mtx", OLD)
        link = self.folder / "link.mtx"
        link.symlink_to("real.mtx")
        self.expect_success("solve", "laplace2d:3", "--out", link)
        self.assertTrue(link.is_symlink())
        self.assertNotEqual(real.read_text(), OLD)
        real.unlink()
        for arguments in (["solve", HUGE, "--out", link], ["analyze", HUGE, "--report", link], ["generate", HUGE, link]):
            self.expect_failure(3, *arguments, says=("link.mtx", "symbolic link to real.mtx", "remove the link"), timeout=10)

    def test_names_of_any_length(self):
        longest = self.folder / ("n" * 251 + ".mtx")
        for _ in range(2):
            self.expect_success("solve", "laplace2d:3", "--out", longest)
        self.assertEqual(self.files(), [longest.name])
        self.expect_failure(3, "solve", HUGE, "--out", self.folder / ("n" * 252 + ".mtx"), says="too long", timeout=10)

    def test_streams(self):
        expected = self.folder / "x.mtx"
        self.expect_success("solve", "laplace2d:3", "--quiet", "--deterministic", "--out", expected)
        text = expected.read_text()
        solve = ["solve", "laplace2d:3", "--quiet", "--deterministic", "--out"]
        self.assertEqual(espalier(*solve, "/dev/stdout").out, text)
        self.expect_success(*solve, "/dev/null")
        with open(self.write("log", OLD), "a", encoding="ascii") as log:
            subprocess.run([PROGRAM, *solve, "/dev/stdout"], stdout=log, check=True, env=environment())
        self.assertEqual((self.folder / "log").read_text(), OLD + text)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        process = self.start(*solve, fifo)
        self.assertEqual(fifo.read_text(), text)
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertTrue(stat.S_ISFIFO(fifo.stat().st_mode))


class BeforeTheWork(OutputsTest):
    """The matrices and measurements would take minutes, so the errors must come before."""

    def expect_refused(self, code, says, *arguments):
        self.expect_failure(code, *arguments, says=says, timeout=10)

    def outputs(self):
        yield from (["solve", HUGE, option] for option in ("--out", "--report", "--html"))
        yield ["analyze", HUGE, "--report"]
        yield from (["compare", HUGE, option] for option in ("--csv", "--json", "--html"))
        yield ["tune", HUGE, "--out"]
        yield from (["reproduce", "swcholesky", option] for option in ("--html", "--report"))
        yield from (["calibrate", option] for option in ("--out", "--machine", "--show"))
        yield ["generate", HUGE]

    def test_places_where_nothing_can_be(self):
        file = self.write("file", "")
        folder = self.folder / "folder.mtx"
        folder.mkdir()
        nowhere = pathlib.Path("/proc/none/x.mtx")
        for command in self.outputs():
            for place in (folder, file / "x.mtx", nowhere):
                self.expect_refused(3, str(place.parent), *command, place)

    def test_the_folder_of_a_trace(self):
        file = self.write("file", "")
        for place in (file, file / "below"):
            self.expect_refused(3, str(place), "solve", HUGE, "--trace", place)

    def test_a_file_that_is_read(self):
        file = self.write("a.mtx", (DATA / "five.mtx").read_text())
        part = self.write("a.1.mtx", (DATA / "five.mtx").read_text())
        for arguments in (["solve", file, "--out"], ["solve", file, "--report"], ["solve", HUGE, "--rhs", file, "--out"],
                          ["solve", HUGE, "--ordering", file, "--report"], ["analyze", HUGE, "--ordering", file, "--report"],
                          ["compare", file, "--csv"], ["tune", HUGE, file, "--out"], ["generate", file],
                          ["reproduce", "halo", "--matrices", file, "--report"]):
            self.expect_refused(2, "same file", *arguments, file)
        self.expect_refused(2, "same file", "generate", part, file, "--parts", 2)

    def test_a_file_that_is_written_twice(self):
        both = self.folder / "both.mtx"
        for arguments in (["solve", HUGE, "--out", both, "--html", both], ["calibrate", "--out", both, "--machine", both],
                          ["reproduce", "halo", "--html", both, "--report", both]):
            self.expect_refused(2, "same file", *arguments)


if __name__ == "__main__":
    # A shell may have started this process with ignored signals, and the program would inherit that.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    if is_sanitized():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
