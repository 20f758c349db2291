#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs all matrices of the folder ESPALIER_MATRICES. The program must refuse those in its subfolder not-spd."""
import os
import pathlib

from support.program import ProgramTest, main, skip

FOLDER = pathlib.Path(os.environ.get("ESPALIER_MATRICES", "nowhere"))
FORMATS = (".mtx", ".rb", ".rsa", ".rua", ".psa", ".pua")


def matrices_in(folder):
    return [path for path in sorted(folder.glob("*")) if path.name.removesuffix(".gz").endswith(FORMATS)]


def is_pattern(path):
    return "pattern" in path.name or ".psa" in path.name or ".pua" in path.name


class Matrices(ProgramTest):
    def test_definite_ones_are_solved(self):
        for path in matrices_in(FOLDER):
            with self.subTest(path.name):
                if is_pattern(path):
                    self.expect_failure(3, "solve", path, says="pattern")
                    self.expect_success("analyze", path)
                else:
                    self.expect_accurate(self.report_of("solve", path, timeout=100))

    def test_others_are_refused(self):
        out = self.folder / "x.mtx"
        for path in matrices_in(FOLDER / "not-spd"):
            with self.subTest(path.name):
                if is_pattern(path):
                    self.expect_failure(3, "solve", path, "--out", out, says="pattern", timeout=100)
                    self.expect_success("analyze", path, timeout=100)
                    continue
                report = self.report_of("solve", path, "--out", out, code=self.code_of(path), timeout=100)
                self.assertFalse(out.exists())
                if report["status"] == "not_positive_definite":
                    column = report["not_positive_definite"]["column"]
                    self.assertTrue(1 <= column <= report["matrix"]["n"], column)

    def code_of(self, path):
        """Returns the expected exit code. A diagonal with gaps is bad input; the analysis, which reads no values, detects it."""
        report = self.report_of("analyze", path, code=None)
        return 4 if report["status"] == "ok" else 3


if __name__ == "__main__":
    if not matrices_in(FOLDER):
        skip("ESPALIER_MATRICES names no folder with matrices")
    main()
