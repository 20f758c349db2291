#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--shift factors A - sigma I or A - sigma B, with one analysis for several shifts."""
import json
import math

from support.matrices import array, coordinate, grid_entries, product, read_array, symmetric
from support.program import ProgramTest, espalier, main
from support.ranks import on_ranks

LDLT = ("--factorization", "ldlt")
M = 12
N = M * M


def angles(m):
    return [math.cos(math.pi * k / (m + 1)) for k in range(1, m + 1)]


def below(sigma, mass=lambda a, b: 1):
    """Returns the number of eigenvalues of the Laplacian below sigma, divided by those of a matrix with the same eigenvectors."""
    return sum((4 - 2 * a - 2 * b) / mass(a, b) < sigma for a in angles(M) for b in angles(M))


class Shifts(ProgramTest):
    def setUp(self):
        super().setUp()
        self.grid = self.write("grid.mtx", symmetric(N, grid_entries(M)))

    def inertia(self, negative):
        return {"positive": N - negative, "negative": negative, "zero": 0, "status": "exact"}

    def test_counts_eigenvalues_with_one_analysis(self):
        shifts = [0.05, 0.7, 2.3, -1, 8.5]
        report = self.report_of("solve", self.grid, *LDLT, "--shift", ",".join(map(str, shifts)), "--repeat", 3)
        self.assertEqual([entry["shift"] for entry in report["shifts"]], shifts)
        for entry in report["shifts"]:
            with self.subTest(shift=entry["shift"]):
                self.assertEqual(entry["inertia"], self.inertia(below(entry["shift"])))
                self.assertLess(entry["backward_error"], 1e-13)
                self.assertEqual(entry["perturbed"], 0)
                self.assertGreaterEqual(entry["growth"], 0)
                self.assertGreater(entry["solve_seconds"], 0)
        runs = report["factor"]["runs"]
        self.assertEqual(len(runs), 3 * len(shifts))
        self.assertEqual([entry["factor_seconds"] for entry in report["shifts"]],
                         [min(runs[3 * k : 3 * k + 3]) for k in range(len(shifts))])
        self.assertEqual(report["factor"]["inertia"], report["shifts"][-1]["inertia"])
        self.assertEqual([phase["phase"] for phase in report["memory"]["phases"]].count("ordering"), 1)

    def test_one_shift_keeps_the_shape_of_the_report(self):
        plain = self.report_of("solve", self.grid, *LDLT)
        shifted = self.report_of("solve", self.grid, *LDLT, "--shift", -0.5)
        (entry,) = shifted.pop("shifts")
        self.assertEqual(set(plain), set(shifted))
        self.assertEqual(shifted["factor"]["inertia"], entry["inertia"])
        self.assertEqual(shifted["solution"]["backward_error"], entry["backward_error"])
        self.assertNotIn("shifts", plain)

    def test_the_solution_is_that_of_the_shifted_matrix(self):
        sigma = 1.3
        entries = {(i, j): value - (sigma if i == j else 0) for (i, j), value in grid_entries(M).items()}
        x = [math.sin(k) for k in range(N)]
        b, out = self.write("b.mtx", array([product(N, entries, x)])), self.folder / "x.mtx"
        self.expect_success("solve", self.grid, *LDLT, "--shift", sigma, "--rhs", b, "--out", out)
        (found,) = read_array(out.read_text())
        self.assertLess(max(abs(a - b) for a, b in zip(found, x)), 1e-10)
        several = self.report_of("solve", self.grid, *LDLT, "--shift", f"3,{sigma}", "--rhs", b)
        self.expect_accurate(several)

    def test_mass_matrix_with_another_pattern(self):
        neighbours = {(i, j): 8.0 if i == j else 1.0 for i, j in grid_entries(M)}
        corners = {(i + M + d, i): 0.5 for i in range(1, N - M + 1) for d in (-1, 1)
                   if 1 <= (i - 1) % M + 1 + d <= M and i + M + d <= N}
        mass = self.write("mass.mtx", symmetric(N, neighbours | corners))
        of_mass = lambda a, b: 8 + 2 * a + 2 * b + 2 * a * b
        shifts = (0.02, 0.2, 0.9)
        for options in ((), ("--shift-matrix", mass)):
            report = self.report_of("solve", self.grid, *LDLT, "--shift", ",".join(map(str, shifts)), *options)
            counts = [below(sigma, of_mass) if options else below(sigma) for sigma in shifts]
            self.assertEqual([entry["inertia"] for entry in report["shifts"]], [self.inertia(count) for count in counts])
            entries = len(grid_entries(M)) + (len(corners) if options else 0)
            self.assertEqual(report["matrix"]["nnz_lower"], entries)

    def test_positive_definite_shift(self):
        report = self.report_of("solve", self.grid, "--shift", "-1,-2,0.01")
        self.assertEqual([entry["shift"] for entry in report["shifts"]], [-1, -2, 0.01])
        self.assertNotIn("inertia", report["shifts"][0])
        failed = self.report_of("solve", self.grid, "--shift", "-1,3", code=4)
        self.assertEqual([entry["shift"] for entry in failed["shifts"]], [-1])
        self.assertIn("grid.mtx - 3 I is not positive definite", failed["message"])
        indefinite = self.write("indefinite.mtx", coordinate(2, [(1, 1, -1.0), (2, 2, 1.0)]))
        self.expect_failure(4, "solve", indefinite, "--shift", -0.5, says="indefinite.mtx + 0.5 I is not positive definite")
        missing = self.write("missing.mtx", coordinate(2, [(1, 1, 1.0), (2, 1, 0.5)]))
        self.expect_accurate(self.report_of("solve", missing, "--shift", -2))

    def test_signs(self):
        matrix = self.write("two.mtx", coordinate(2, [(1, 1, 1.0), (2, 1, 1.0), (2, 2, -1.0)]))
        signs = self.write("two.signs", "1\n-1\n")
        report = self.report_of("solve", matrix, *LDLT, "--signs", signs, "--shift", "0.5,-0.5")
        self.assertEqual([entry["inertia"]["negative"] for entry in report["shifts"]], [1, 1])
        wrong = self.report_of("solve", matrix, *LDLT, "--signs", signs, "--shift", "4", code=4)
        self.assertEqual(wrong["wrong_pivot_sign"], {"column": 1})

    def test_an_eigenvalue_as_shift_is_never_exact(self):
        report = self.report_of("solve", self.write("d.mtx", coordinate(3, [(1, 1, 1.0), (2, 2, 2.0), (3, 3, 4.0)])), *LDLT,
                                "--shift", "2,3", code=None)
        self.assertEqual([entry["inertia"]["status"] for entry in report["shifts"]], ["uncertain", "exact"])
        self.assertEqual(report["shifts"][1]["inertia"]["negative"], 2)

    def test_an_inaccurate_shift_keeps_the_results_of_the_others(self):
        """Two shifts are eigenvalues, and the system has no solution for them."""
        path = self.folder / "report.json"
        matrix = self.write("d.mtx", coordinate(3, [(1, 1, 1.0), (2, 2, 2.0), (3, 3, 4.0)]))
        failed = espalier("solve", matrix, *LDLT, "--rhs", self.write("b.mtx", array([[1, 1, 1]])), "--shift", "3,2,4,1.5", "--report", path)
        self.assertEqual(failed.code, 1, failed.err)
        self.assertRegex(failed.err, r"backward error of the solution for \S+d.mtx - 2 I is \S+, above 1e-10")
        report = json.loads(path.read_text())
        self.assertEqual(report["status"], "error")
        self.assertEqual([entry["shift"] for entry in report["shifts"]], [3, 2, 4, 1.5])
        for k, sigma, negative in ((0, 3, 2), (3, 1.5, 1)):
            self.assertEqual(report["shifts"][k]["inertia"], {"positive": 3 - negative, "negative": negative, "zero": 0, "status": "exact"})
            self.assertRegex(failed.out, rf"(?m)^(shifts)? +{sigma}: {3 - negative} positive, {negative} negative, 0 zero \(exact\); ")
        self.assertRegex(failed.out, r"(?m)^ +2: 1 positive, 1 negative, 1 zero \(uncertain\); ")

    def test_shifts_beside_a_multiple_eigenvalue(self):
        """The eigenvalue 4 has multiplicity M, and blocks of any size are almost singular."""
        report = self.report_of("solve", self.grid, *LDLT, "--shift", "3.9999999999,4.000000001")
        self.assertEqual([(entry["inertia"]["negative"], entry["inertia"]["zero"]) for entry in report["shifts"]],
                         [((N - M) // 2, 0), ((N + M) // 2, 0)])
        self.assertLessEqual(report["solution"]["backward_error"], 1e-14)

    def test_summary(self):
        out = self.expect_success("solve", self.grid, *LDLT, "--shift", "0.7,2.3").out
        for name, sigma in (("shifts", 0.7), ("", 2.3)):
            self.assertRegex(out, rf"(?m)^{name} +{sigma}: {N - below(sigma)} positive, {below(sigma)} negative, 0 zero \(exact\); ")
        self.assertNotIn("inertia ", out)
        one = self.expect_success("solve", self.grid, *LDLT, "--shift", 0.7).out
        self.assertIn("inertia ", one)
        self.assertNotIn("shifts ", one)
        self.assertRegex(self.expect_success("solve", self.grid, "--shift", "-1,-2").out, r"shifts +-1: positive definite; ")

    def test_ranks(self):
        path = self.folder / "report.json"
        solve = [2, "solve", self.grid, "--workers", 1, "--shift"]
        run = on_ranks(*solve, -0.5, "--shift-matrix", self.grid, "--report", path)
        self.assertEqual(run.returncode, 0, run.stderr)
        report = json.loads(path.read_text())
        self.expect_accurate(report)
        self.assertEqual([entry["shift"] for entry in report["shifts"]], [-0.5])
        self.expect_success("generate", self.grid, self.folder / "parts.mtx", "--parts", 2, "--quiet")
        for options, words in (((self.grid, "--shift", "-1,-2"), "one --shift per run"), ((self.folder / "parts.mtx", "--shift", -1), "in one file")):
            run = on_ranks(2, "solve", *options, "--workers", 1)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(words, run.stderr)

    def test_ranks_beside_a_multiple_eigenvalue(self):
        """Columns of pairs move apart. There are 435 eigenvalues above 4."""
        path = self.folder / "report.json"
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                run = on_ranks(ranks, "solve", "laplace2d:30", *LDLT, "--workers", 1, "--shift", 4.000000001, "--report", path)
                self.assertEqual(run.returncode, 0, run.stderr)
                report = json.loads(path.read_text())
                self.assertGreater(report["factor"]["delayed"], 0)
                self.assertEqual(report["factor"]["inertia"], {"positive": 435, "negative": 465, "zero": 0, "status": "exact"})
                self.expect_accurate(report)

    def test_refused(self):
        solve = ["solve", self.grid, *LDLT]
        for text in ("inf", "nan", "1e999", "x", "1;2", ""):
            self.expect_failure(2, *solve, f"--shift={text}", says="--shift")
        self.expect_failure(2, *solve, "--shift-matrix", "laplace2d:3", says=["--shift-matrix needs --shift"])
        self.expect_failure(2, *solve, "--shift", "1,2", "--out", self.folder / "x.mtx", says=["--out", "one shift"])
        self.expect_failure(2, "solve", "-", "--shift", 1, "--shift-matrix", "-", says="standard input")
        self.expect_failure(3, *solve, "--shift", 1, "--shift-matrix", "laplace2d:3", says=["laplace2d:3", "9 rows", f"has {N}"])
        general = self.write("general.mtx", coordinate(2, [(1, 1, 1), (1, 2, 1), (2, 1, 2), (2, 2, 1)], "general"))
        self.expect_failure(3, *solve, "--shift", 1, "--shift-matrix", general, says=["general.mtx", "(1, 2)"])
        self.expect_failure(3, *solve, "--shift", 1, "--shift-matrix", self.folder / "none", says="none")
        large = self.write("large.mtx", coordinate(1, [(1, 1, -1e308)]))
        self.expect_failure(3, "solve", large, *LDLT, "--shift", "1e308", says=["row 1, column 1", "shift"])


if __name__ == "__main__":
    main()
