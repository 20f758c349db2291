#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of matrices as other programs write them: formats by content, byte order marks, banners, graphs, matrices without rows."""
import gzip
import subprocess

from support.matrices import read_array
from support.program import DATA, PROGRAM, ProgramTest, environment, main

BANNER = "%%MatrixMarket matrix coordinate real symmetric\n"
BODY = "3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n"
GRAPH = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"

# Formats as in the cylinder shell matrices of NIST.
BOEING = f"""{"Cylinder shell":72}{"KEY":8}
{4:14}{1:14}{1:14}{2:14}{0:14}
RSA           {3:14}{3:14}{5:14}{0:14}
(1X,8I9)        (1X,8I9)        (3(1P,E24.16))
""" + " " + "".join(f"{k:9}" for k in (1, 3, 5, 6)) + "\n " + "".join(f"{k:9}" for k in (1, 2, 2, 3, 3)) + "\n" + (
    "".join(f"{v:24.16E}" for v in (4, -1, 4)) + "\n" + "".join(f"{v:24.16E}" for v in (-1, 4)) + "\n")


class Formats(ProgramTest):
    def solved(self, *arguments, **options):
        report = self.report_of("solve", *arguments, **options)
        self.expect_accurate(report)
        self.assertEqual(report["matrix"]["n"], 3)

    def test_the_content_says_the_format(self):
        for name in ("a.rsa", "a.hb", "a.dat", "a.mtx", "a"):
            for text in (BOEING, BANNER + BODY, gzip.compress(BOEING.encode()), BOEING.replace("\n", "\r\n")):
                with self.subTest(name=name, text=text[:8]):
                    self.solved(self.write(name, text))

    def test_pipes_carry_all_formats(self):
        for text in (BOEING.encode(), gzip.compress(BOEING.encode()), (BANNER + BODY).encode()):
            for words in (["solve", "-"], ["analyze", "-"], ["generate", "-", "-"]):
                done = subprocess.run([PROGRAM, *words], input=text, capture_output=True, timeout=60, env=environment())
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_option_overrides_the_content(self):
        file = self.write("a.dat", BOEING)
        self.solved(file, "--format", "harwell-boeing")
        self.solved(file, "--format", "auto")
        self.expect_failure(3, "solve", file, "--format", "matrix-market", says=["a.dat, line 1", "%%MatrixMarket"])
        self.expect_failure(3, "analyze", DATA / "five.mtx", "--format", "harwell-boeing", says=["five.mtx, line 2"])
        self.expect_failure(2, "solve", file, "--format", "rb", says=["'rb'", "harwell-boeing"])

    def test_parts_have_one_format(self):
        self.expect_success("generate", "laplace2d:4", self.folder / "p.mtx", "--parts", 1)
        self.expect_success("solve", self.folder / "p.mtx")
        self.expect_failure(2, "solve", self.folder / "p.mtx", "--format", "harwell-boeing", says=["parts", "Matrix Market"])

    def test_marks_and_banners(self):
        for text in ("\ufeff" + BANNER + BODY, BANNER[1:] + BODY, "\ufeff" + BOEING, "\n" + BANNER + BODY,
                     BANNER.replace("real", "double") + BODY, BANNER + "%" + "x" * (17 << 20) + "\n" + BODY):
            self.solved(self.write("a.mtx", text))

    def test_other_content_is_named(self):
        for content, told in (((BANNER + BODY).encode("utf-16"), "UTF-16"), ((BANNER + BODY).replace("\n", "\r"), "CR alone"),
                              (b"PK\x03\x04", "ZIP"), (b"BZh9", "bzip2")):
            for words in (["solve"], ["solve", "laplace2d:2", "--rhs"], ["analyze", "laplace2d:2", "--ordering"]):
                with self.subTest(told=told, words=words):
                    self.expect_failure(3, *words, self.write("a.mtx", content), says=["a.mtx", told])

    def test_graphs_without_a_diagonal_are_analyzed(self):
        report = self.report_of("analyze", self.write("a.mtx", GRAPH))
        self.assertEqual((report["matrix"]["nnz_lower"], report["matrix"]["diagonal_added"]), (5, 3))
        self.assertIn("3 missing diagonal entries added", self.expect_success("analyze", self.folder / "a.mtx").out)
        weights = self.write("w.mtx", BANNER + "3 3 2\n2 1 1\n3 2 1\n")
        self.assertEqual(self.report_of("analyze", weights)["matrix"]["diagonal_added"], 3)
        self.expect_failure(3, "solve", weights, says=["w.mtx", "(1, 1) on the diagonal is missing"])

    def test_files_that_count_from_zero_are_asked(self):
        self.expect_failure(3, "solve", self.write("a.mtx", BANNER + "2 2 2\n0 0 4\n1 1 4\n"),
                            says=["a.mtx, line 3", "row 0", "does the file count from 0?"])

    def test_matrices_without_rows(self):
        none, x = self.write("none.mtx", BANNER + "0 0 0\n"), self.folder / "x.mtx"
        report = self.report_of("solve", none, "--out", x)
        self.assertEqual((report["matrix"]["n"], report["solution"]["backward_error"]), (0, 0))
        self.assertEqual(x.read_text(), "%%MatrixMarket matrix array real general\n0 1\n")
        b = self.write("b.mtx", "%%MatrixMarket matrix array real general\n0 3\n")
        self.expect_success("solve", none, "--rhs", b, "--out", x, "--granularity", "tile")
        self.assertEqual(read_array(x.read_text()), [[]] * 3)
        self.assertEqual(self.report_of("analyze", none)["symbolic"]["nnz_l"], 0)
        self.expect_success("generate", none, self.folder / "copy.mtx")
        for ordering in ("amd", "dissection", "scotch", "metis", "natural"):
            self.expect_success("solve", none, "--ordering", ordering)
        for command in ("tune", "compare"):
            self.expect_failure(3, command, none, says=["none.mtx", "no rows"])


if __name__ == "__main__":
    main()
