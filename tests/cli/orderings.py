#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Saved orderings: --save-ordering writes a file, and --ordering with this file computes the same factor."""
import json

from support.program import ProgramTest, main


class Orderings(ProgramTest):
    def solved(self, matrix, *options):
        """Returns the report, and the solution as bytes."""
        out = self.folder / "x.npy"
        report = self.folder / "r.json"
        self.expect_success("solve", matrix, "--workers", 1, "--refine", 0, "--out", out, "--report", report, *options)
        return json.loads(report.read_text()), out.read_bytes()

    def test_a_saved_ordering_gives_the_same_factor(self):
        for name in ("order.txt", "order.txt.gz"):
            saved = self.folder / name
            for matrix in ("laplace2d:40", "elasticity3d:5x5x5"):
                for ordering in ("dissection", "amd", "auto", "natural"):
                    with self.subTest(matrix=matrix, ordering=ordering, name=name):
                        first, x = self.solved(matrix, "--ordering", ordering, "--save-ordering", saved)
                        again, same = self.solved(matrix, "--ordering", saved)
                        self.assertEqual(again["symbolic"]["nnz_l"], first["symbolic"]["nnz_l"])
                        self.assertEqual(again["ordering"]["method"], "file")
                        self.assertEqual(x, same)

    def test_analyze_saves_the_ordering_of_solve(self):
        one, two = self.folder / "one", self.folder / "two"
        self.expect_success("analyze", "laplace3d:9", "--ordering", "dissection", "--save-ordering", one)
        self.solved("laplace3d:9", "--ordering", "dissection", "--save-ordering", two)
        self.assertEqual(one.read_text(), two.read_text())
        self.expect_success("analyze", "laplace3d:9", "--ordering", one, "--save-ordering", self.folder / "three")
        self.assertEqual(one.read_text(), (self.folder / "three").read_text())

    def test_the_file_lists_the_columns_and_the_parts(self):
        file = self.folder / "order.txt"
        self.expect_success("analyze", "laplace2d:40", "--ordering", "dissection", "--save-ordering", file)
        lines = [line for line in file.read_text().splitlines() if not line.startswith("%")]
        self.assertEqual(sorted(int(line) for line in lines[:1600]), list(range(1600)))
        word, count = lines[1600].split()
        self.assertEqual((word, int(count)), ("parts", len(lines) - 1601))
        self.assertGreater(int(count), 3)
        self.assertEqual(lines[-1].split()[0::2], ["-1", "1600"])

    def test_files_that_cannot_be_written_are_refused(self):
        for command in ("analyze", "solve"):
            missing = self.folder / "none" / "order.txt"
            self.expect_failure(3, command, "laplace2d:9", "--save-ordering", missing, says="order.txt")
            order = self.folder / "order.txt"
            self.expect_failure(2, command, "laplace2d:9", "--save-ordering", order, "--report", order, says="--save-ordering")


if __name__ == "__main__":
    main()
