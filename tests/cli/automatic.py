#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--factorization auto is L L^T for positive definite matrices, and L J L^T otherwise."""
import json

from support.matrices import coordinate
from support.program import ProgramTest, main
from support.ranks import on_ranks

AUTO = ("--factorization", "auto")
LDLT = ("--factorization", "ldlt")


class Automatic(ProgramTest):
    def test_positive_definite_matrices_take_llt(self):
        reports, solutions = [], []
        for kind in ("llt", "auto"):
            out = self.folder / f"{kind}.npy"
            reports.append(self.report_of("solve", "laplace3d:12", "--factorization", kind, "--deterministic", "--out", out))
            solutions.append(out.read_bytes())
        self.assertEqual(*solutions)
        llt, auto = reports
        self.assertEqual(set(llt), set(auto))
        for part in ("factor", "symbolic", "ordering"):
            self.assertEqual(set(llt[part]), set(auto[part]), part)
        self.assertEqual(auto["factor"]["factorization"], "llt")
        self.assertEqual(auto["symbolic"]["predicted_peak_bytes"], llt["symbolic"]["predicted_peak_bytes"])

    def test_indefinite_matrices_have_the_inertia_of_ldlt(self):
        for name, options, skipped in (("laplace3d:12", ("--shift", 2), False), ("helmholtz3d:12", (), False),
                                       ("stokes2d:12", (), True), ("mixed2d:9", (), True)):
            with self.subTest(matrix=name):
                ldlt, auto = (self.report_of("solve", name, *kind, *options) for kind in (LDLT, AUTO))
                self.expect_accurate(auto)
                self.assertEqual(auto["factor"]["factorization"], "ldlt")
                self.assertEqual(auto["factor"]["inertia"], ldlt["factor"]["inertia"])
                self.assertEqual(auto["factor"]["inertia"]["status"], "exact")
                self.assertEqual(auto["analysis"], ldlt["analysis"])
                self.assertEqual(auto["factor"]["attempt_seconds"] == 0, skipped)
                self.assertNotIn("attempt_seconds", ldlt["factor"])

    def test_zero_block_that_the_file_leaves_out(self):
        matrix = self.write("zero.mtx", coordinate(3, [(1, 1, 2.0), (3, 1, 1.0), (2, 2, 3.0), (3, 2, 1.0)]))
        report = self.report_of("solve", matrix, *AUTO)
        self.assertEqual(report["factor"]["inertia"], {"positive": 2, "negative": 1, "zero": 0, "status": "exact"})
        self.assertEqual(report["matrix"]["diagonal_added"], 1)

    def matrix_of_pairs(self):
        blocks = [entry for k in range(1, 60, 2) for entry in ((k, k, 1e-6), (k + 1, k, 1.0), (k + 1, k + 1, 1e-6))]
        chain = [(k + 2, k, 0.25) for k in range(1, 59)]
        return self.write("pairs.mtx", coordinate(60, blocks + chain))

    def test_pairs_are_found_after_the_attempt(self):
        matrix = self.matrix_of_pairs()
        for ordering in ("auto", "amd", "dissection", "metis", "natural"):
            with self.subTest(ordering=ordering):
                report = self.report_of("solve", matrix, *AUTO, "--ordering", ordering, "--refine", 3)
                self.expect_accurate(report)
                self.assertGreater(report["factor"]["attempt_seconds"], 0)
                self.assertEqual(report["analysis"], {"matched_pairs": 30})
                inertia = report["factor"]["inertia"]
                self.assertEqual((inertia["positive"], inertia["negative"]), (30, 30))
        order = self.write("order.txt", "".join(f"{k}\n" for k in range(60)))
        self.expect_accurate(self.report_of("solve", matrix, *AUTO, "--ordering", order, "--refine", 3))

    def test_later_factorizations_stay_with_ldlt(self):
        report = self.report_of("solve", "laplace3d:8", *AUTO, "--shift", "-1,2,0.01", "--repeat", 2)
        self.assertEqual(report["factor"]["factorization"], "ldlt")
        negative = [entry["inertia"]["negative"] if "inertia" in entry else None for entry in report["shifts"]]
        self.assertEqual(negative, [None, 23, 0])
        self.assertEqual(len(report["factor"]["runs"]), 4, "the runs of L J L^T")

    def test_singular_matrix_is_uncertain(self):
        matrix = self.write("one.mtx", coordinate(2, [(1, 1, 1.0), (2, 1, 1.0), (2, 2, 1.0)]))
        ldlt, auto = (self.report_of("solve", matrix, *kind, code=None)["factor"] for kind in (LDLT, AUTO))
        self.assertEqual(auto["inertia"], ldlt["inertia"])
        self.assertEqual(auto["inertia"]["status"], "uncertain")
        self.assertEqual(auto["perturbed_columns"], ldlt["perturbed_columns"])

    def on_ranks(self, ranks, matrix, *options):
        path = self.folder / "ranks.json"
        run = on_ranks(ranks, "solve", matrix, *AUTO, "--workers", 1, "--report", path, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        report = json.loads(path.read_text())
        self.expect_accurate(report)
        return report

    def test_on_ranks(self):
        pairs = self.matrix_of_pairs()
        for ranks in (1, 2, 3, 4):
            for name, options, negative, attempts in (("laplace3d:8", (), None, None), ("laplace3d:8", ("--shift", 2), 23, True),
                                                      ("stokes2d:12", (), 143, False), (pairs, ("--refine", 3), 30, True)):
                with self.subTest(ranks=ranks, matrix=name, options=options):
                    factor = self.on_ranks(ranks, name, *options, "--repeat", 2)["factor"]
                    self.assertEqual(factor["factorization"], "llt" if negative is None else "ldlt")
                    self.assertEqual(len(factor["runs"]), 2)
                    if negative is None:
                        self.assertNotIn("attempt_seconds", factor)
                        continue
                    self.assertEqual((factor["inertia"]["negative"], factor["inertia"]["status"]), (negative, "exact"))
                    self.assertEqual(factor["attempt_seconds"] > 0, attempts)

    def test_parts_on_ranks(self):
        matrix = self.folder / "parts.mtx"
        for name in ("stokes2d:12", "helmholtz3d:8"):
            self.expect_success("generate", name, matrix, "--parts", 2)
            report = self.on_ranks(2, matrix, "--refine", 5)
            expected = self.report_of("solve", name, *LDLT)["factor"]["inertia"]
            self.assertEqual(report["factor"]["inertia"], expected)
            self.assertIn("matched_pairs", report["analysis"])

    def test_summary(self):
        expected = (("laplace3d:8", (), None), ("laplace3d:8", ("--shift", 2), r"LDLᵀ, because L Lᵀ failed after \S+ [mu]?s"),
                    ("stokes2d:8", (), "LDLᵀ, because a diagonal entry is not positive"))
        for name, options, sentence in expected:
            out = self.expect_success("solve", name, *AUTO, *options).out
            if sentence:
                self.assertRegex(out, rf"(?m)^ +{sentence}$")
            else:
                self.assertNotIn("because", out)

    def test_refused(self):
        solve = ["solve", "laplace3d:4", *AUTO]
        signs = self.write("signs", "1\n" * 64)
        self.expect_failure(2, *solve, "--signs", signs, says="--factorization ldlt")
        self.expect_failure(2, *solve, "--kernels", "blas", says=["--factorization auto", "kernels"])
        self.expect_failure(2, *solve, "--regularization", "1e-8,0,0,0", says="factorization=ldlt")


if __name__ == "__main__":
    main()
