#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Matrices, right-hand sides and solutions through standard input and output."""
import gzip
import subprocess

from support.matrices import array, grid_entries, product, read_array, symmetric
from support.program import PROGRAM, ProgramTest, environment, main
from support.ranks import MPIRUN, on_ranks

M = 8
N = M * M
ENTRIES = grid_entries(M)
MATRIX = symmetric(N, ENTRIES).encode()
KNOWN = [((7 * i) % 11) - 5.0 for i in range(N)]
RHS = array([product(N, ENTRIES, KNOWN)]).encode()


class Streams(ProgramTest):
    def pipe(self, *arguments, text=b"", code=0):
        command = [PROGRAM, *map(str, arguments)]
        done = subprocess.run(command, input=text, capture_output=True, timeout=60, env=environment())
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def expect_known(self, text):
        (x,) = read_array(text.decode())
        for value, wanted in zip(x, KNOWN, strict=True):
            self.assertAlmostEqual(value, wanted, delta=1e-12)

    def test_a_matrix_from_standard_input(self):
        b = self.write("b.mtx", RHS)
        for text in (MATRIX, gzip.compress(MATRIX)):
            done = self.pipe("solve", "-", "--rhs", b, "--out", "-", "--quiet", text=text)
            self.assertEqual(done.stderr, b"")
            self.expect_known(done.stdout)
            self.assertIn(b"stdin: 64 rows", self.pipe("analyze", "-", text=text).stdout)

    def test_a_file_as_standard_input(self):
        file = self.write("a.mtx", MATRIX)
        with file.open() as stream:
            done = subprocess.run([PROGRAM, "analyze", "-"], stdin=stream, capture_output=True, timeout=60, env=environment())
        self.assertIn(b"64 rows", done.stdout)

    def test_right_hand_sides_from_standard_input(self):
        matrix = self.write("a.mtx", MATRIX)
        for text in (RHS, gzip.compress(RHS)):
            self.expect_known(self.pipe("solve", matrix, "--rhs", "-", "--out", "-", "--quiet", text=text).stdout)
        for words in (["-", "--rhs", "-"], [matrix, "--rhs", "-", "--rhs", "-"]):
            self.assertIn(b"standard input", self.pipe("solve", *words, code=2).stderr)

    def test_the_summary_leaves_standard_output_to_the_solution(self):
        b = self.write("b.mtx", RHS)
        done = self.pipe("solve", "-", "--rhs", b, "--out", "-", text=MATRIX)
        self.expect_known(done.stdout)
        self.assertRegex(done.stderr, rb"(?m)^solution .*, backward error")

    def test_standard_output_that_is_a_file(self):
        for words in (["solve", "laplace2d:8", "--out", "-"], ["generate", "laplace2d:8", "-"]):
            place = self.folder / "out"
            with place.open("wb") as stream:
                subprocess.run([PROGRAM, *words], stdout=stream, stderr=subprocess.PIPE, timeout=60, env=environment(),
                               check=True)
            self.assertTrue(place.read_bytes().startswith(b"%%MatrixMarket matrix "), words)
            self.assertEqual(self.files(), ["out"])

    def test_a_generated_matrix_goes_from_program_to_program(self):
        made = self.pipe("generate", "laplace2d:9", "-")
        self.assertIn(b"81 rows", made.stderr)
        solved = self.pipe("solve", "-", "--nrhs", 2, "--out", "-", "--quiet", text=made.stdout)
        for k, x in enumerate(read_array(solved.stdout.decode()), 1):
            self.assertEqual([round(value, 9) for value in x], [float(k)] * 81)
        self.assertEqual(self.pipe("generate", "-", "-", text=made.stdout).stdout, made.stdout)

    def test_what_is_wrong_with_a_stream_is_said(self):
        cut = MATRIX[: MATRIX.rindex(b" ")]
        for text, says in ((b"", b"empty"), (b"nothing", b"unknown"), (cut, b"line "), (gzip.compress(MATRIX)[:60], b"gzip")):
            self.assertIn(says, self.pipe("solve", "-", text=text, code=3).stderr)
        self.pipe("generate", "laplace2d:9", "-", "--parts", 2, code=2)
        for command in ("tune", "compare", "simulate"):
            self.assertIn(b"MATRIX: is read once per run", self.pipe(command, "-", text=MATRIX, code=2).stderr)

    def test_the_first_rank_reads_and_writes(self):
        if MPIRUN is None:
            self.skipTest("there is no mpirun")
        b = self.write("b.mtx", RHS)
        done = on_ranks(2, "solve", "-", "--rhs", b, "--out", "-", "--workers", 1, text=MATRIX.decode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_known(done.stdout.encode())


if __name__ == "__main__":
    main()
