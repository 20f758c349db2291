#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A disk that fails: each open, read, write, fsync, close, rename, linkat and mkdir of a run fails in turn. Afterwards either all outputs
are complete, or the run ends with an error of one line. A run that fails leaves only the report and the previous files."""
import concurrent.futures
import gzip
import json
import os
import pathlib
import shutil
import tempfile

from support.matrices import array, grid_entries, symmetric
from support.program import ProgramTest, environment, espalier, is_sanitized, main, skip

BAD_FILE, FAILED = 3, 7
BEFORE = "contents from before\n"


class FailingFiles(ProgramTest):
    def run_with(self, arguments, number, before):
        """Runs the program in a new folder. Its `number`-th call for a file fails. Returns the outcome, the folder and the calls."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        work, log = folder / "work", folder / "log"
        work.mkdir()
        matrix = symmetric(25, grid_entries(5))
        (work / "a.mtx").write_text(matrix)
        (work / "a.mtx.gz").write_bytes(gzip.compress(matrix.encode()))
        (work / "b.mtx").write_text(array([[1.0] * 25]))
        for name in before:
            (work / name).write_text(BEFORE)
        env = environment(LD_PRELOAD=os.environ["ESPALIER_FILES_LIBRARY"], FAIL_IN=work, FAIL_AT=number, FAIL_LOG=log)
        outcome = espalier(*[str(a).replace("%", f"{work}/") for a in arguments], env=env, timeout=60)
        return outcome, work, log.read_text().split() if log.exists() else []

    def expect_whole_or_absent(self, outcome, work, outputs, before):
        self.assertIn(outcome.code, (0, BAD_FILE, FAILED), outcome)
        self.assertRegex(outcome.err, r"\A(espalier: [^\n]+\n)?\Z")
        self.assertEqual(outcome.code != 0, outcome.err != "", outcome)
        left = {str(path.relative_to(work)) for path in work.rglob("*")} - {"a.mtx", "a.mtx.gz", "b.mtx"}
        if outcome.code == 0:
            self.assertEqual(left, set(outputs))
            return
        self.assertLessEqual(left - set(before), {"r.json"}, outcome)
        if "r.json" in left and (work / "r.json").read_text() != BEFORE:
            self.assertNotEqual(json.loads((work / "r.json").read_text())["status"], "ok")
        for name in set(before) - {"r.json"}:
            self.assertIn((work / name).read_text()[:4], (BEFORE[:4], "%%Ma", "<svg"))

    def expect_all(self, arguments, outputs, before=()):
        outcome, work, calls = self.run_with(arguments, 0, before)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.expect_whole_or_absent(outcome, work, outputs, before)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = pool.map(lambda number: self.run_with(arguments, number, before), range(1, len(calls) + 1))
            for number, (outcome, work, made) in enumerate(runs, 1):
                with self.subTest(call=f"{number}: {made[number - 1] if len(made) >= number else '?'}", arguments=arguments):
                    self.expect_whole_or_absent(outcome, work, outputs, before)
                shutil.rmtree(work)
        return calls

    def test_every_call_of_a_run_with_all_outputs(self):
        solve = ("solve", "%a.mtx", "--workers", 1, "--rhs", "%b.mtx", "--out", "%x.mtx", "--report", "%r.json", "--html",
                 "%page.html", "--trace", "%t/deep", "--quiet")
        outputs = ("x.mtx", "r.json", "page.html", "t", "t/deep", "t/deep/trace.json", "t/deep/gantt.svg")
        calls = self.expect_all(solve, outputs)
        self.assertLessEqual({"open", "read", "write", "fsync", "close", "mkdir"}, set(calls))
        self.assertTrue({"linkat", "rename"} & set(calls))  # rename if the file system has no files without names

    def test_every_call_where_files_are_replaced_and_packed(self):
        calls = self.expect_all(("solve", "%a.mtx.gz", "--workers", 1, "--out", "%x.mtx", "--report", "%r.json", "--quiet"),
                                ("x.mtx", "r.json"), before=("x.mtx", "r.json"))
        self.assertIn("rename", calls)
        self.expect_all(("generate", "%a.mtx", "%c.mtx.gz", "--parts", 2), ("c.0.mtx.gz", "c.1.mtx.gz"))


if __name__ == "__main__":
    if "ESPALIER_FILES_LIBRARY" not in os.environ or is_sanitized():
        skip("the address sanitizer has to be loaded first")
    main()
