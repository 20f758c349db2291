#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Coprocessors run F, U and A of L J L^T, with given and with chosen signs. The CPU runs D. Results are those of CPUs."""
import json
import random

from support.coprocessors import ALL_ON_DEVICES, OWN, STARPUS, runs, skip_without_coprocessors
from support.matrices import coordinate, grid_entries, symmetric
from support.program import ProgramTest, espalier, main
from support.ranks import on_ranks

LDLT = ("--factorization", "ldlt")
THERE = ("--workers", 1, "--coprocessors", 1)
M = 64
N = M * M


class SignsOnCoprocessors(ProgramTest):
    def expect_there(self, report, kinds):
        there = runs(report, "coprocessor")
        self.assertEqual(there.get("diagonal", 0), 0)
        for kind in kinds:
            self.assertEqual(there.get(kind, 0), report["tasks"][kind], kind)
            self.assertGreater(report["tasks"][kind], 0, kind)

    def solve(self, *arguments):
        report = self.report_of("solve", *arguments, *LDLT)
        self.expect_accurate(report)
        return report

    def expect_same_as_on_cpus(self, report, *arguments):
        expected = self.solve(*arguments, "--workers", 1)
        self.assertEqual(report["factor"]["inertia"], expected["factor"]["inertia"])
        self.assertEqual(report["factor"]["perturbed"], expected["factor"]["perturbed"])
        self.assertAlmostEqual(report["factor"]["growth"] / expected["factor"]["growth"], 1, delta=1e-6)

    def with_signs(self):
        """Returns the arguments for a quasi-definite matrix."""
        signs = random.Random(3).choices((1, -1), k=N)
        entries = {(i, j): -value if signs[i - 1] == signs[j - 1] == -1 else value for (i, j), value in grid_entries(M).items()}
        return self.write("k.mtx", symmetric(N, entries)), "--signs", self.write("k.signs", "\n".join(map(str, signs)))

    def test_every_policy_chooses_pivots(self):
        for name in OWN + STARPUS:
            with self.subTest(scheduler=name):
                report = self.solve("stokes2d:20", *THERE, "--granularity", "tile", "--repeat", 2, "--sched", name)
                self.assertEqual(report["factor"]["inertia"], {"positive": 760, "negative": 399, "zero": 0, "status": "exact"})
                self.expect_there(report, ())

    def test_every_policy_uses_given_signs(self):
        given = self.with_signs()
        for name in OWN + STARPUS:
            with self.subTest(scheduler=name):
                report = self.solve(*given, *THERE, "--granularity", "block", "--panel-width", 16, "--repeat", 2, "--sched", name)
                self.assertEqual(report["factor"]["inertia"]["status"], "exact")

    def test_all_f_and_u_on_a_coprocessor(self):
        for matrix in (("stokes2d:40",), ("helmholtz3d:8",), self.with_signs()):
            for granularity in ("panel", "tile", "block"):
                for threads in ((), ("--coprocessor-threads", 3, "--coprocessor-workers", "one")):
                    with self.subTest(matrix=matrix, granularity=granularity, threads=threads):
                        options = (*matrix, "--granularity", granularity, "--panel-width", 32)
                        report = self.solve(*options, *THERE, *threads, *ALL_ON_DEVICES)
                        self.expect_there(report, ("factor", "update"))
                        self.expect_same_as_on_cpus(report, *options)

    def test_halo_updates_shadows(self):
        report = self.solve("helmholtz3d:10", *THERE, "--granularity", "tile", "--sched", "halo", "--halo", "static0:0.5")
        self.assertGreater(report["offload"]["fraction"], 0.05)
        self.expect_same_as_on_cpus(report, "helmholtz3d:10")

    def test_subtrees_are_assembled_there(self):
        # While the CPU worker runs a subtree, a coprocessor assembles. On a busy machine the CPU worker may be first, so repeat.
        for _ in range(10):
            report = self.solve("helmholtz3d:12", "--workers", 1, "--coprocessors", 2, "--sched", "eager", "--granularity", "panel",
                                "--repeat", 5)
            if runs(report, "coprocessor").get("assemble", 0) > 0:
                return
        self.fail("no coprocessor assembled anything in ten runs")

    def test_weak_columns_are_found_there(self):
        """Columns with large entries below their blocks are delayed, as on CPUs."""
        side = 16
        chosen = random.Random(0)
        entries = {(i, j): (i % 3 == 0) * 1.0 if i == j else chosen.choice((1.0, 1e-3, 1e-5)) for i, j in grid_entries(side)}
        matrix = self.write("weak.mtx", symmetric(side * side, entries))
        options = (matrix, *LDLT, "--ordering", "natural", "--granularity", "block", "--panel-width", 8)
        here, there = (self.report_of("solve", *options, *place)["factor"] for place in (("--workers", 1), (*THERE, *ALL_ON_DEVICES)))
        self.assertGreater(here["delayed"], here["perturbed"])
        self.assertEqual(there["delayed"], here["delayed"])

    def test_the_same_bits_as_without(self):
        for matrix in (("stokes2d:20",), self.with_signs()):
            bits = set()
            for options in ((), ("--coprocessors", 1, *ALL_ON_DEVICES)):
                out = self.folder / "x.npy"
                self.expect_success("solve", *matrix, *LDLT, "--deterministic", "--granularity", "tile", "--workers", 1, "--nrhs", 3,
                                    "--out", out, "--quiet", *options)
                bits.add(out.read_bytes())
            self.assertEqual(len(bits), 1, matrix)

    def test_auto(self):
        report = self.report_of("solve", "stokes2d:20", "--factorization", "auto", *THERE, "--granularity", "tile", *ALL_ON_DEVICES)
        self.expect_accurate(report)
        self.assertEqual(report["factor"]["factorization"], "ldlt")
        self.expect_there(report, ("factor", "update"))

    def test_wrong_and_singular(self):
        matrix = self.write("two.mtx", coordinate(2, [(1, 1, 2.0), (2, 1, 1.0), (2, 2, 2.0)]))
        signs = self.write("two.signs", "1\n-1\n")
        report = self.report_of("solve", matrix, *LDLT, "--signs", signs, *THERE, "--granularity", "block", *ALL_ON_DEVICES, code=4)
        self.assertEqual(report["wrong_pivot_sign"], {"column": 2})
        matrix = self.write("grid.mtx", symmetric(N, grid_entries(M)))
        for column in (1, N // 2, N):
            signs = self.write("wrong.signs", "\n".join("-1" if k == column else "1" for k in range(1, N + 1)))
            for granularity in ("panel", "block"):
                report = self.report_of("solve", matrix, *LDLT, "--signs", signs, *THERE, "--granularity", granularity, "--panel-width", 16,
                                        *ALL_ON_DEVICES, code=4)
                self.assertEqual(report["wrong_pivot_sign"], {"column": column})
        self.expect_failure(2, "solve", "stokes2d:3", *LDLT, *THERE, "--kernels", "own", says="kernels")
        singular = self.write("one.mtx", coordinate(2, [(1, 1, 1.0), (2, 1, 1.0), (2, 2, 1.0)]))
        path = self.folder / "r.json"
        self.assertIn(espalier("solve", singular, *LDLT, *THERE, "--granularity", "block", "--report", path).code, (0, 1))
        self.assertEqual(json.loads(path.read_text())["factor"]["inertia"]["status"], "uncertain")

    def test_on_ranks(self):
        for matrix, granularity in (("stokes2d:12",), "tile"), (("stokes2d:12",), "block"), (self.with_signs(), "block"):
            with self.subTest(matrix=matrix, granularity=granularity):
                path = self.folder / "report.json"
                run = on_ranks(2, "solve", *matrix, *LDLT, *THERE, "--granularity", granularity, "--panel-width", 16, "--nrhs", 3,
                               *ALL_ON_DEVICES, "--report", path)
                self.assertEqual(run.returncode, 0, run.stderr)
                report = json.loads(path.read_text())
                self.expect_accurate(report)
                self.assertEqual(report["factor"]["inertia"], self.solve(*matrix)["factor"]["inertia"])
                self.expect_there(report, ("factor",))
                self.assertGreater(runs(report, "coprocessor")["update"], 0)


if __name__ == "__main__":
    skip_without_coprocessors()
    main()
