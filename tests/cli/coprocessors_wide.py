#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Coprocessors whose threads form one worker that divides each task: right answers, and a separate cost table."""
import json
import platform
import re

from support.coprocessors import ALL_ON_DEVICES, OWN, PROBLEM, STARPUS, change_costs, runs, skip_without_coprocessors
from support.matrices import symmetric
from support.program import ALL_COMBINATIONS, ProgramTest, environment, main

ONE_OF_THREE = ("--coprocessors", 1, "--coprocessor-threads", 3, "--coprocessor-workers", "one")


class WideCoprocessors(ProgramTest):
    def test_all_policies_and_granularities(self):
        """The worker runs tasks of all sizes. Its threads share the large ones."""
        for name in OWN + STARPUS if ALL_COMBINATIONS else OWN:
            with self.subTest(scheduler=name):
                report = self.report_of("solve", "laplace3d:20", "--workers", 1, "--granularity", "tile", "--repeat", 2,
                                        "--sched", name, *ONE_OF_THREE)
                self.expect_accurate(report)
                self.assertEqual(report["machine"]["coprocessor_workers"], 1)
                self.assertEqual(report["machine"]["coprocessor_threads"], 3)
        for matrix in ("elasticity3d:8x8x8", "laplace3d:20") if ALL_COMBINATIONS else ("elasticity3d:8x8x8",):
            for granularity in ("panel", "tile", "block"):
                with self.subTest(matrix=matrix, granularity=granularity):
                    report = self.report_of("solve", matrix, "--workers", 1, "--granularity", granularity, *ONE_OF_THREE,
                                            *ALL_ON_DEVICES)
                    self.expect_accurate(report)
                    there = runs(report, "coprocessor")
                    for kind in ("diagonal", "factor", "update"):
                        self.assertEqual(there.get(kind, 0), report["tasks"][kind], kind)
        report = self.report_of("solve", "laplace3d:20", "--workers", 1, "--sched", "halo", "--halo", "static0:0.5",
                                *ONE_OF_THREE)
        self.expect_accurate(report)
        self.assertGreater(report["offload"]["fraction"], 0.05)

    def test_a_failed_pivot(self):
        n = 300
        dense = {(i, j): 1.0 + (i == j) * n for i in range(1, n + 1) for j in range(1, i + 1)}
        for column in (1, 64, 65, n):
            dense[column, column], kept = -1.0, dense[column, column]
            matrix = self.write("a.mtx", symmetric(n, dense))
            self.expect_failure(4, "solve", matrix, "--ordering", "natural", "--workers", 1, *ONE_OF_THREE,
                                *ALL_ON_DEVICES, says=f"column {column}")
            dense[column, column] = kept

    def test_a_table_of_their_own(self):
        """Policies use the cost table of such coprocessors, warm runs update it, and the summary says how to measure
        it."""
        env = environment(XDG_DATA_HOME=self.folder)
        options = ["solve", "laplace3d:20", "--workers", 1, "--granularity", "tile", "--sched", "halo", *ONE_OF_THREE]
        self.assertIn("calibrate --workers 1 --coprocessor-workers one --coprocessor-threads 3 --coprocessors N",
                      re.sub(r"\s+", " ", self.expect_success(*options, env=env).out))
        self.expect_failure(2, "calibrate", "--show", self.folder / "a.png", *ONE_OF_THREE, env=env,
                            says=("no table of coprocessors", "--coprocessor-threads 3"))
        self.expect_failure(2, "solve", *PROBLEM, "--sched", "fanout", "--sched-option", "thresholds=calibrated",
                            *ONE_OF_THREE, env=env, says="--coprocessor-threads 3")
        self.expect_success("calibrate", "--workers", 1, "--quick", "--quiet", *ONE_OF_THREE, env=env)
        place = self.folder / "espalier" / f"costs-coprocessor-3-threads-{platform.node()}.json"
        costs = json.loads(place.read_text())
        self.assertEqual(costs["architecture"], "coprocessor-3-threads")
        self.assertEqual([path.name for path in place.parent.iterdir()], [place.name])
        self.assertEqual(self.report_of(*options, env=env)["offload"]["costs"], "calibrated")
        plain = self.report_of(*options[:-4], env=env)
        self.assertEqual(plain["offload"]["costs"], "analytic")
        fractions = []
        for seconds in (1e-6, 1e-15):
            change_costs(self.folder, seconds, "-coprocessor-3-threads")
            report = self.report_of(*options, env=env)
            self.expect_accurate(report)
            fractions.append(report["offload"]["planned_fraction"])
        self.assertEqual(fractions[0], 0)
        self.assertGreater(fractions[1], 0.1)
        before = place.read_text()
        self.expect_success(*options, "--repeat", 4, env=env)
        self.assertNotEqual(place.read_text(), before)

    def test_use_of_threads_is_checked(self):
        self.expect_failure(2, "solve", *PROBLEM, "--coprocessors", 1, "--coprocessor-workers", "two", says="each, one")
        self.expect_failure(2, "solve", "laplace3d:9", "--deterministic", *ONE_OF_THREE,
                            says=("deterministic", "several threads"))
        self.expect_success("solve", "laplace3d:9", "--deterministic", "--coprocessors", 1, "--coprocessor-workers", "one")
        out = self.expect_success("solve", *PROBLEM, *ONE_OF_THREE).out
        self.assertIn("1 CPU worker and 1 coprocessor worker of 3 threads", out)


if __name__ == "__main__":
    skip_without_coprocessors()
    main()
