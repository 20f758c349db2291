#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Indefinite matrices are factored as L J L^T without given signs."""
import json
import random

from support.matrices import coordinate, symmetric
from support.program import ProgramTest, espalier, main
from support.ranks import on_ranks

LDLT = ("--factorization", "ldlt")


class Indefinite(ProgramTest):
    def solve(self, matrix, *options):
        report = self.report_of("solve", matrix, *LDLT, *options)
        self.assertEqual(report["status"], "ok")
        return report["factor"], report

    def test_generators(self):
        for name, positive, negative in (("stokes2d:12", 264, 143), ("mixed2d:15", 480, 225)):
            factor, report = self.solve(name)
            self.assertEqual(factor["inertia"], {"positive": positive, "negative": negative, "zero": 0, "status": "exact"}, name)
            self.assertEqual(factor["perturbed"], 0, name)
            self.assertIn("matched_pairs", report["analysis"], name)

    def test_same_inertia_under_every_policy_and_granularity(self):
        first = self.solve("stokes2d:10")[0]["inertia"]
        for options in (["--workers", "1"], ["--granularity", "tile"], ["--granularity", "block"], ["--sched", "lws"],
                        ["--sched", "ktq"], ["--sched", "fanout"], ["--deterministic"]):
            self.assertEqual(self.solve("stokes2d:10", *options)[0]["inertia"], first, options)

    def test_missing_zero_block(self):
        matrix = self.write("zero.mtx", coordinate(3, [(1, 1, 2.0), (3, 1, 1.0), (2, 2, 3.0), (3, 2, 1.0)]))
        factor, _ = self.solve(matrix)
        self.assertEqual(factor["inertia"], {"positive": 2, "negative": 1, "zero": 0, "status": "exact"})
        self.expect_failure(3, "solve", matrix, says="(3, 3) on the diagonal is missing")

    def test_singular_matrix_is_uncertain(self):
        matrix = self.write("one.mtx", coordinate(2, [(1, 1, 1.0), (2, 1, 1.0), (2, 2, 1.0)]))
        path = self.folder / "r.json"
        self.assertIn(espalier("solve", matrix, *LDLT, "--report", path).code, (0, 1))
        factor = json.loads(path.read_text())["factor"]
        self.assertEqual(factor["inertia"]["status"], "uncertain")
        self.assertEqual(factor["perturbed"], 1)

    def test_random_saddle_points(self):
        random.seed(4)
        for n, m in ((1, 1), (5, 2), (30, 12), (80, 30)):
            entries = {(i, i): random.uniform(0.5, 2) for i in range(1, n + 1)}
            for c in range(n + 1, n + m + 1):
                entries[c, c] = 0.0
                for column in random.sample(range(1, n + 1), min(n, 4)):
                    entries[c, column] = random.uniform(-1, 1)
            factor, _ = self.solve(self.write("k.mtx", symmetric(n + m, entries)), "--refine", 5)
            inertia = factor["inertia"]
            if inertia["status"] == "exact":
                self.assertEqual((inertia["positive"], inertia["negative"]), (n, m))

    def on_ranks(self, ranks, matrix, *options):
        path = self.folder / "ranks.json"
        run = on_ranks(ranks, "solve", matrix, *LDLT, "--workers", 1, "--report", path, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(path.read_text())

    def test_on_ranks(self):
        for ranks, mapping, granularity in ((1, "proportional", "auto"), (2, "proportional", "block"), (2, "block-cyclic", "panel"),
                                            (3, "fan-both", "auto"), (4, "3d", "auto"), (4, "proportional", "tile"),
                                            (4, "block-cyclic", "block")):
            with self.subTest(ranks=ranks, mapping=mapping, granularity=granularity):
                report = self.on_ranks(ranks, "stokes2d:12", "--mapping", mapping, "--granularity", granularity, "--panel-width", 8,
                                       "--nrhs", 3)
                self.assertEqual(report["factor"]["inertia"], {"positive": 264, "negative": 143, "zero": 0, "status": "exact"})
                self.assertLessEqual(report["factor"]["perturbed"], 5)
                self.assertIn("matched_pairs", report["analysis"])
                self.assertLess(report["solution"]["backward_error"], 1e-13)

    def test_scales_on_ranks(self):
        entries = {(1, 1): 0.0, (2, 1): 1e150, (2, 2): 0.0, (3, 1): 2.0, (3, 2): 3.0, (3, 3): 1e-150}
        self.on_ranks(2, self.write("graded.mtx", symmetric(3, entries)))

    def test_parts_on_ranks(self):
        for name in ("helmholtz3d:8", "stokes2d:12"):
            matrix = self.folder / "parts.mtx"
            self.expect_success("generate", name, matrix, "--parts", 2)
            report = self.on_ranks(2, matrix, "--refine", 5)
            self.assertEqual(report["factor"]["inertia"], self.solve(name)[0]["inertia"])
            self.assertEqual(report["analysis"], self.on_ranks(1, name)["analysis"])

    def test_ptscotch_on_ranks(self):
        run = on_ranks(2, "solve", "stokes2d:6", *LDLT, "--matching", "--ordering", "ptscotch", "--workers", 1)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("ptscotch", run.stderr)

    def test_delays_on_ranks(self):
        """A saddle point with diagonal entries from 1e-10 to 1e10. Without delayed pivots, the inertia on two ranks is uncertain."""
        random.seed(15)
        n, m = 60, 30
        entries = {(i, i): 10 ** random.uniform(-10, 10) for i in range(1, n + 1)}
        for c in range(n + 1, n + m + 1):
            entries[c, c] = 0.0
            for column in random.sample(range(1, n + 1), 3):
                entries[c, column] = random.choice((1.0, -1.0, 1e-3, 1e3))
        matrix = self.write("delays.mtx", symmetric(n + m, entries))
        alone, _ = self.solve(matrix, "--workers", 1, "--panel-width", 8)
        self.assertGreater(alone["delayed"], 0)
        self.assertEqual(alone["inertia"], {"positive": n, "negative": m, "zero": 0, "status": "exact"})
        for ranks, mapping in ((1, "proportional"), (2, "proportional"), (2, "block-cyclic"), (3, "fan-both"), (4, "3d")):
            with self.subTest(ranks=ranks, mapping=mapping):
                report = self.on_ranks(ranks, matrix, "--mapping", mapping, "--panel-width", 8)
                self.assertGreater(report["factor"]["delayed"], 0)
                self.assertEqual(report["factor"]["inertia"], alone["inertia"])
                self.assertLess(report["solution"]["backward_error"], 1e-13)

    def test_inaccurate_on_ranks(self):
        """A right-hand side outside the range of a singular matrix."""
        matrix = self.write("singular.mtx", coordinate(2, [(1, 1, 1.0), (2, 1, 1.0), (2, 2, 1.0)]))
        rhs = self.write("b.txt", "1\n-1\n")
        run = on_ranks(2, "solve", matrix, *LDLT, "--rhs", rhs, "--workers", 1)
        self.assertEqual(run.returncode, 1, run.stderr)


if __name__ == "__main__":
    main()
