#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Quasi-definite matrices are factored as L J L^T with the signs of --signs."""
import gzip
import json
import random

from support.matrices import array, coordinate, grid_entries, numpy_file, product, read_array, symmetric
from support.program import ProgramTest, combinations, espalier, main
from support.ranks import on_ranks

M = 24
N = M * M
LDLT = ("--factorization", "ldlt")
CLARABEL = "1e-8,4.9e-32,1e-13,2e-7"


def quasi_definite(signs):
    """Returns the entries of the grid's matrix, with the block of the negative signs negated."""
    return {(i, j): -value if signs[i - 1] == signs[j - 1] == -1 else value for (i, j), value in grid_entries(M).items()}


class Signs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.signs = random.Random(3).choices((1, -1), k=N)
        self.entries = quasi_definite(self.signs)
        self.matrix = self.write("k.mtx", symmetric(N, self.entries))
        self.file = self.write("k.signs", "".join(f"{sign}\n" for sign in self.signs))

    def solve(self, *options, **others):
        return self.report_of("solve", self.matrix, *LDLT, "--signs", self.file, *options, **others)

    def expect_inertia(self, report, status="exact"):
        negative = self.signs.count(-1)
        self.assertEqual(report["factor"]["inertia"],
                         {"positive": N - negative, "negative": negative, "zero": 0, "status": status})

    def test_the_solution_is_that_of_the_matrix(self):
        x = [random.Random(4).uniform(-1, 1) for _ in range(N)]
        b = self.write("b.mtx", array([product(N, self.entries, x)]))
        out = self.folder / "x.mtx"
        report = self.solve("--rhs", b, "--out", out)
        self.expect_accurate(report)
        self.expect_inertia(report)
        (found,) = read_array(out.read_text())
        self.assertLess(max(abs(a - b) for a, b in zip(found, x)), 1e-12)
        self.assertEqual(report["factor"]["factorization"], "ldlt")
        self.assertEqual((report["factor"]["perturbed"], report["factor"]["perturbed_columns"]), (0, []))
        self.assertLess(report["factor"]["growth"], 10)

    def test_under_every_policy_granularity_and_number_of_workers(self):
        names = espalier("solve", "laplace2d:2", "--sched", "nosuch").err.strip().split("choose one of ")[1].split(", ")
        own = ("espalier", "fanout", "ktq", "levelset", "hlevelset", "lws", "dmdas")
        self.assertLessEqual(set(own), set(names))
        for name, granularity, workers in combinations(own, ("auto", "panel", "tile", "block"), (1, 2, 3)):
            with self.subTest(scheduler=name, granularity=granularity, workers=workers):
                report = self.solve("--sched", name, "--granularity", granularity, "--workers", workers, "--panel-width", 16)
                self.expect_accurate(report)
                self.expect_inertia(report)

    def test_deterministic_bits(self):
        bits = set()
        for sched, workers in (("lws", 1), ("eager", 3), ("dmdas", 2), ("ktq", 3)):
            out = self.folder / "x.npy"
            self.solve("--deterministic", "--sched", sched, "--workers", workers, "--panel-width", 16, "--out", out, "--nrhs", 3)
            bits.add(out.read_bytes())
        self.assertEqual(len(bits), 1)

    def test_formats_of_the_signs(self):
        self.file = self.write("k.signs.mtx", array([[float(sign) for sign in self.signs]]))
        self.expect_inertia(self.solve())
        self.file = self.folder / "signs.gz"
        self.file.write_bytes(gzip.compress("\n".join(map(str, self.signs)).encode()))
        self.expect_inertia(self.solve())

    def test_wrong_signs_are_named(self):
        for column in (1, N // 2, N):
            signs = list(self.signs)
            entries = {(k, k): 2.0 * signs[k - 1] for k in range(1, N + 1)}
            signs[column - 1] *= -1
            self.matrix = self.write("diagonal.mtx", symmetric(N, entries))
            self.file = self.write("wrong.signs", "\n".join(map(str, signs)))
            report = self.solve(code=4)
            self.assertEqual(report["status"], "wrong_pivot_sign")
            self.assertEqual(report["wrong_pivot_sign"], {"column": column})
            self.assertIn(f"column {column} (counted from 1, as in the file)", report["message"])
            self.assertIn("--regularization", report["message"])
            replaced = self.solve("--regularization", "0,0,1e-13,2", code=1)
            self.assertEqual(replaced["factor"]["perturbed_columns"], [column])

    def test_regularization_makes_a_zero_block_solvable(self):
        constraints = N // 8
        entries = {(k, k): 3.0 for k in range(1, N + 1)}
        for c in range(1, constraints + 1):
            entries[N + c, N + c] = 0.0
            for k in range(8 * c - 7, 8 * c + 1):
                entries[N + c, k] = 1.0 + k % 3
        self.matrix = self.write("saddle.mtx", symmetric(N + constraints, entries))
        self.file = self.write("saddle.signs", "1\n" * N + "-1\n" * constraints)
        report = self.solve("--regularization", CLARABEL, "--refine", 10)
        self.expect_accurate(report)
        self.assertEqual(report["factor"]["inertia"],
                         {"positive": N, "negative": constraints, "zero": 0, "status": "uncertain"})

    def test_refused(self):
        solve = ["solve", self.matrix]
        self.expect_failure(2, *solve, *LDLT, "--regularization", CLARABEL, says=["--signs", "1 or -1"])
        self.expect_failure(2, *solve, "--signs", self.file, says="--factorization ldlt")
        self.expect_failure(2, *solve, "--regularization", CLARABEL, says="factorization=ldlt")
        self.expect_failure(2, *solve, *LDLT, "--signs", self.file, "--regularization", "0,0,1e-13,0", says="fourth number")
        self.expect_failure(2, *solve, *LDLT, "--signs", self.file, "--regularization", "0,0,-1,0", says="--regularization")
        self.expect_failure(2, *solve, *LDLT, "--signs", self.file, "--kernels", "blas", says="kernels")
        self.expect_failure(2, *solve, *LDLT, "--signs", self.matrix, says=["MATRIX", "--signs"])
        self.expect_failure(3, *solve, *LDLT, "--signs", self.folder / "none", says="none")
        self.expect_failure(3, *solve, *LDLT, "--signs", self.write("words", "+\n" * N), says="words")
        zero = self.write("zero", "1\n" * 4 + "0\n" + "1\n" * (N - 5))
        self.expect_failure(3, *solve, *LDLT, "--signs", zero, says=["zero", "row 5", "is 0", "1 or -1"])
        two = self.write("two", "1 1\n" * N)
        self.expect_failure(3, *solve, *LDLT, "--signs", two, says=["one column", "2 columns"])
        self.matrix = self.write("nan.mtx", coordinate(2, [(1, 1, 1.0), (2, 1, "nan"), (2, 2, -1.0)]))
        self.expect_failure(3, "solve", self.matrix, *LDLT, "--signs", self.write("s", "1\n-1\n"), says="nan")

    def test_the_message_of_a_wrong_length_speaks_of_signs(self):
        entries = [(k, 1, 1.0) for k in range(1, N)]
        for name, text, lengths in (("short", "1\n" * (N - 1), f"{N - 1} of {N} rows"), ("long", "1\n" * (N + 1), f"{N} rows of signs"),
                                    ("array", array([[1.0] * (N - 1)]), f"the signs have {N - 1} rows, but the matrix has {N}"),
                                    ("sparse", coordinate(N - 1, entries, "general"), f"the signs have {N - 1} rows"),
                                    ("numpy.npy", numpy_file((N - 1,), False, [1.0] * (N - 1)),
                                     f"the signs have {N - 1} rows, but the matrix has {N}")):
            outcome = self.expect_failure(3, "solve", self.matrix, *LDLT, "--signs", self.write(name, text), says=[name, "signs", lengths])
            self.assertNotRegex(outcome.err, "vectors|right-hand")
        self.expect_failure(3, "solve", self.matrix, *LDLT, "--signs", self.write("empty", ""), says="empty")
        self.expect_failure(3, "solve", self.matrix, "--rhs", self.write("b", "1\n"),
                            says=f"1 of {N} rows; expected one row of the right-hand sides")

    def test_signs_from_standard_input(self):
        with open(self.file) as stream:
            report = self.report_of("solve", self.matrix, *LDLT, "--signs", "-", stdin=stream)
        self.expect_accurate(report)
        self.expect_inertia(report)
        for words in (["-"], [self.matrix, "--rhs", "-"]):
            self.expect_failure(2, "solve", *words, *LDLT, "--signs", "-", says=["standard input", "--signs"])

    def test_on_ranks(self):
        for ranks, mapping, granularity in combinations((1, 2, 3, 4), ("proportional", "block-cyclic", "fan-both", "3d"), ("auto", "block")):
            with self.subTest(ranks=ranks, mapping=mapping, granularity=granularity):
                path = self.folder / "report.json"
                run = on_ranks(ranks, "solve", self.matrix, *LDLT, "--signs", self.file, "--mapping", mapping, "--granularity", granularity,
                               "--panel-width", 16, "--nrhs", 3, "--workers", 1, "--report", path)
                self.assertEqual(run.returncode, 0, run.stderr)
                report = json.loads(path.read_text())
                self.expect_accurate(report)
                self.expect_inertia(report)
                self.assertLess(report["factor"]["growth"], 10)
                self.assertGreater(report["factor"]["growth"], 0.25)

    def test_ranks_regularize_and_refuse_as_one_process_does(self):
        entries = {(k, k): 2.0 * self.signs[k - 1] for k in range(1, N + 1)}
        self.signs[N // 3] *= -1
        self.file = self.write("wrong.signs", "\n".join(map(str, self.signs)))
        self.matrix = self.write("diagonal.mtx", symmetric(N, entries))
        path = self.folder / "report.json"
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                solve = [ranks, "solve", self.matrix, *LDLT, "--signs", self.file, "--workers", 1, "--report", path]
                self.assertEqual(on_ranks(*solve).returncode, 4)
                self.assertEqual(json.loads(path.read_text())["wrong_pivot_sign"], {"column": N // 3 + 1})
                run = on_ranks(*solve, "--regularization", "0.5,0.25,1e-13,3")
                self.assertEqual(run.returncode, 1, run.stderr)
                report = json.loads(path.read_text())
                self.assertEqual(report["factor"]["perturbed_columns"], [N // 3 + 1])
                # All other pivots are 2 + 0.5 + 0.25 * 2.
                self.assertAlmostEqual(report["factor"]["growth"], 1.5)

    def test_ranks_without_rows(self):
        self.matrix = self.write("two.mtx", coordinate(2, [(1, 1, 2.0), (2, 1, 1.0), (2, 2, -2.0)]))
        self.file = self.write("two.signs", "1\n-1\n")
        path = self.folder / "report.json"
        for ranks in (2, 4):
            run = on_ranks(ranks, "solve", self.matrix, *LDLT, "--signs", self.file, "--regularization", "0,1e-12,0,0", "--workers", 1,
                           "--report", path)
            self.assertEqual(run.returncode, 0, run.stderr)
            inertia = json.loads(path.read_text())["factor"]["inertia"]
            self.assertEqual((inertia["positive"], inertia["negative"]), (1, 1))

    def test_the_summary_states_the_inertia(self):
        out = self.expect_success("solve", self.matrix, *LDLT, "--signs", self.file).out
        negative = self.signs.count(-1)
        self.assertRegex(out, rf"inertia +{N - negative} positive, {negative} negative, 0 zero")


if __name__ == "__main__":
    main()
