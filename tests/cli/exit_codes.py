#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every class of error, seen through the program: its exit code, its message, its report, and no file left behind."""
import gzip
import json
import os
import subprocess

from support.matrices import array, coordinate
from support.program import DATA, PROGRAM, ProgramTest, environment, main

NO_FOLDER = "/dev/null"  # nobody can create a path below it, not even root


class ExitCodes(ProgramTest):
    def expect_failure_with_report(self, code, *arguments, status="error", **options):
        outcome = self.expect_failure(code, *arguments, **options)
        report = self.report_of(*arguments, code=code, **{k: v for k, v in options.items() if k != "says"})
        self.assertEqual(report["status"], status)
        self.assertEqual("espalier: " + report["message"] + "\n", outcome.err)
        return report

    def test_0_solved(self):
        for name in ("five.mtx", "five.mtx.gz", "five_upper.mtx", "five_general.mtx", "five.rsa", "five.rua", "five.rb"):
            self.expect_accurate(self.report_of("solve", DATA / name))

    def test_1_backward_error_too_large(self):
        # The sum of a row overflows, so that b is infinite.
        huge = self.write("huge.mtx", coordinate(2, [(1, 1, "1e308"), (2, 1, "9e307"), (2, 2, "1e308")]))
        out = self.folder / "x.mtx"
        self.expect_failure_with_report(1, "solve", huge, "--out", out, says=["numbers overflow", str(huge)])
        tiny = self.write("tiny.mtx", coordinate(1, [(1, 1, "1e-300")]))
        b = self.write("b.mtx", array([[1e300]]))
        self.expect_failure_with_report(1, "solve", tiny, "--rhs", b, "--out", out, says=["numbers overflow", str(tiny)])

    def test_2_wrong_usage(self):
        self.expect_failure_with_report(2, "solve", "laplace2d:x", says="laplace2d:M")
        self.expect_failure_with_report(2, "analyze", "laplace2d:8", "--ordering", "crumb", says="crumb")

    def expect_new_report(self, code, *arguments, **options):
        """Expects that a failure replaces the report of an earlier run."""
        path = self.write("old.json", '{"status": "ok"}')
        outcome = self.expect_failure(code, *arguments, "--report", path, **options)
        report = json.loads(path.read_text())
        self.assertEqual((report["status"], "espalier: " + report["message"] + "\n"), ("error", outcome.err))

    def test_no_failure_leaves_an_old_report(self):
        for words in (["--nosuch"], ["--sched", "ktq", "--workers", "many"], ["--factorization", "ldlt", "--kernels", "blas"],
                      ["--signs", "x"], ["--rhs", "-", "--rhs", "-"], ["--shift-matrix", "laplace2d:8"], ["--out", "x.doc"],
                      ["--tune", "--panel-width", "3"], ["--workers"]):
            self.expect_new_report(2, "solve", "laplace2d:8", *words)
        self.expect_new_report(6, "solve", "laplace2d:8", "--sched", "nosuch")
        self.expect_new_report(2, "analyze", "laplace2d:8", "--graph", "graph.doc")
        self.expect_new_report(2, "analyze", "laplace2d:8", "--nosuch")
        self.expect_new_report(3, "analyze", "laplace2d:8", "--graph", f"{NO_FOLDER}/graph.json")

    def test_a_report_of_wrong_usage_replaces_no_other_file(self):
        matrix = self.write("a.mtx", (DATA / "five.mtx").read_text())
        for words in ([matrix, "--nosuch"], [matrix, "--signs", "x"], ["laplace2d:8", "--rhs", matrix, "--nosuch"],
                      ["laplace2d:8", f"--rhs={matrix}", "--nosuch"]):
            self.expect_failure(2, "solve", *words, "--report", matrix)
            self.expect_failure(2, "solve", *words, f"--report={self.folder}/../{self.folder.name}/a.mtx")
        with open(matrix) as stream:
            self.assertEqual(subprocess.run([PROGRAM, "solve", "-", "--nosuch", "--report", matrix], stdin=stream,
                                            stderr=subprocess.DEVNULL).returncode, 2)
        self.assertEqual(matrix.read_text(), (DATA / "five.mtx").read_text())
        stamps = self.write("stamps.json", "[]")
        self.expect_failure(2, "compare", "laplace2d:8", "--nosuch", "--json", stamps)
        self.assertEqual(stamps.read_text(), "[]")

    def test_2_empty_values(self):
        """A shell variable that is not set gives an option an empty value."""
        for option in ("--out", "--report", "--rhs", "--ordering"):
            self.expect_failure(2, "solve", "laplace2d:3", option, "", says=f"{option}: the value is empty")
        self.expect_failure(2, "solve", "", says="the value is empty")

    def test_3_bad_input(self):
        missing = self.folder / "missing.mtx"
        self.expect_failure_with_report(3, "solve", missing, says=str(missing))
        self.expect_failure_with_report(3, "analyze", missing, says=str(missing))
        self.expect_failure_with_report(3, "solve", self.folder, says=str(self.folder))
        self.expect_failure_with_report(3, "solve", DATA / "five_pattern.mtx", says="pattern")
        self.expect_failure_with_report(3, "solve", DATA / "five.psa", says="pattern")
        self.expect_failure_with_report(3, "analyze", DATA / "five_pattern.mtx", "--matching", says="pattern")
        self.expect_success("analyze", DATA / "five_pattern.mtx")
        self.expect_success("analyze", DATA / "five.psa")

    def test_3_outputs_that_cannot_be_made_are_found_before_the_work(self):
        # The generator alone would take minutes.
        huge = "laplace3d:900"
        for place in (self.folder / "no" / "x.mtx", self.folder, f"{NO_FOLDER}/x.mtx"):
            self.expect_failure(3, "solve", huge, "--out", place, says=str(place), timeout=10)
            self.expect_failure(3, "solve", huge, "--report", place, says=str(place), timeout=10)
            self.expect_failure(3, "analyze", huge, "--report", place, says=str(place), timeout=10)
        self.expect_failure(3, "generate", huge, self.folder / "no" / "x.mtx", says="x.mtx", timeout=10)

    def test_3_a_folder_without_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        locked = self.folder / "locked"
        locked.mkdir(mode=0o500)
        self.expect_failure(3, "solve", "laplace2d:4", "--out", locked / "x.mtx", says=str(locked))

    def test_4_not_positive_definite(self):
        matrix = self.write("a.mtx", coordinate(2, [(1, 1, 1), (2, 2, -1)]))
        report = self.expect_failure_with_report(4, "solve", matrix, "--out", self.folder / "x.mtx",
                                                 says="column 2 (counted from 1", status="not_positive_definite")
        self.assertEqual(report["not_positive_definite"], {"column": 2})

    def test_5_memory_limit(self):
        self.expect_failure_with_report(5, "solve", "laplace3d:12", "--memory-limit", "1M", says="limit of 1.0 MiB")

    def test_6_unknown_scheduler(self):
        # The error is found before the matrix is opened.
        missing = self.folder / "missing.mtx"
        self.expect_failure_with_report(6, "solve", missing, "--sched", "nosuch", says=["nosuch", "eager", "lws"])
        env = environment(STARPU_SCHED="nosuch")
        self.expect_failure_with_report(6, "solve", missing, says=["nosuch", "eager", "lws"], env=env)

    def nowhere(self):
        return environment(HOME=NO_FOLDER, TMPDIR=NO_FOLDER, STARPU_HOME=None, XDG_CACHE_HOME=None,
                           XDG_RUNTIME_DIR=None, STARPU_PERF_MODEL_DIR=None)

    def test_shared_memory_is_a_place_for_starpus_files(self):
        """A container with a read-only file system still has writable shared memory."""
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("there is no /dev/shm")
        self.expect_success("solve", "laplace2d:8", env=self.nowhere())
        run = self.folder / "run"
        run.mkdir()
        self.expect_success("solve", "laplace2d:8", env={**self.nowhere(), "XDG_RUNTIME_DIR": str(run)})
        self.assertTrue((run / f"espalier-{os.geteuid()}" / "sampling" / "bus").is_dir())

    def test_7_starpu_has_no_place_for_its_files(self):
        """The program runs in a separate name space without any writable folder."""
        without_memory = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o ro none /dev/shm && exec "$@"', "sh"]
        try:
            made = subprocess.run([*without_memory, "true"], capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            made = False
        if not made:
            self.skipTest("no name space can be made, which takes root")
        self.expect_failure_with_report(7, "solve", "laplace2d:8", says="STARPU_HOME", env=self.nowhere(),
                                        prefix=without_memory)

    def test_an_analysis_needs_no_starpu(self):
        env = environment(HOME=NO_FOLDER, STARPU_HOME=NO_FOLDER, TMPDIR=NO_FOLDER, STARPU_PERF_MODEL_DIR=NO_FOLDER)
        self.expect_success("analyze", "laplace3d:12", env=env)

    def test_a_home_that_cannot_be_written_to_is_no_error(self):
        env = environment(HOME=NO_FOLDER, TMPDIR=self.folder, STARPU_HOME=None, XDG_CACHE_HOME=None,
                          STARPU_PERF_MODEL_DIR=None)
        self.expect_success("solve", "laplace3d:12", env=env)

    def test_7_disk_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        self.expect_failure(7, "solve", "laplace2d:8", "--out", "/dev/full", says="/dev/full")
        self.expect_failure(7, "generate", "laplace2d:8", "/dev/full", says="/dev/full")

    def test_an_old_solution_survives_a_failure(self):
        out = self.write("x.mtx", "old")
        matrix = self.write("a.mtx.gz", gzip.compress(coordinate(1, [(1, 1, -1)]).encode()))
        self.expect_failure(4, "solve", matrix, "--out", out)
        self.assertEqual(out.read_text(), "old")

    def test_names_that_are_no_text(self):
        name = os.fsencode(self.folder) + b"/\xff\n.mtx"
        outcome = self.expect_failure(3, "solve", os.fsdecode(name), says="?.mtx")
        self.assertNotIn("\n", outcome.err[:-1])
        report = self.report_of("solve", os.fsdecode(name), code=3)
        self.assertIn("?.mtx", report["message"])


if __name__ == "__main__":
    main()
