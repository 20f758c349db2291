#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--deterministic gives the same bits of x regardless of the schedule."""
from support.program import ProgramTest, main


class Deterministic(ProgramTest):
    def expect_same_bits(self, *arguments, variants):
        out = self.folder / "x.mtx"
        first = None
        for variant in variants:
            self.expect_success("solve", *arguments, *variant, "--deterministic", "--out", out)
            x = out.read_bytes()
            first = first or x
            self.assertEqual(x, first, f"{arguments}, {variant}")

    def test_over_runs_and_workers(self):
        self.expect_same_bits("laplace3d:16", variants=[["--workers", workers] for workers in (1, 2, 3, 2, 4) * 4])
        self.expect_same_bits("elasticity3d:9x8x8", "--nrhs", 3,
                              variants=[["--workers", workers] for workers in (1, 2, 3, 2, 3, 2)])

    def test_over_granularities_each_by_itself(self):
        for granularity in ("panel", "tile", "block"):
            self.expect_same_bits("laplace2d:50", "--granularity", granularity, "--panel-width", 16,
                                  variants=[["--workers", workers] for workers in (1, 2, 3, 3)])

    def test_over_schedulers_and_repetitions(self):
        self.expect_same_bits("irregular2d:3000", "--granularity", "panel", "--workers", 3, variants=[
            ["--sched", "eager"], ["--sched", "lws"], ["--sched", "random"], ["--sched", "dmdas"], ["--repeat", 4]])


if __name__ == "__main__":
    main()
