#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Too little memory is told beforehand, with exit code 5, and never ends in a crash or in waiting."""
import resource

from support.program import ProgramTest, environment, espalier, is_sanitized, main

MIB = 2**20


class Memory(ProgramTest):
    def test_a_limit_of_our_own(self):
        out = self.folder / "x.mtx"
        for limit in ("1", "1K", "1MiB", "40M"):
            self.expect_failure(5, "solve", "laplace3d:20", "--memory-limit", limit, "--out", out, says="memory limit")
        for limit in ("0", "2G", "1.5T", str(2**40)):
            self.expect_success("solve", "laplace3d:20", "--memory-limit", limit)

    def test_the_prediction_decides(self):
        needed = self.report_of("solve", "laplace3d:20")["symbolic"]["predicted_peak_bytes"]
        self.expect_success("solve", "laplace3d:20", "--memory-limit", needed + 1)
        self.expect_failure(5, "solve", "laplace3d:20", "--memory-limit", needed - 1, says="memory limit")

    def limited_run(self, mib, *arguments):
        """Runs under ulimit -v. OpenBLAS starts its own threads before main, one a core: they are no part of this."""
        if is_sanitized():
            self.skipTest("the address sanitizer reserves terabytes of address space")
        limit = (mib * MIB, mib * MIB)
        outcome = espalier("solve", *arguments, "--workers", 2, "--quiet", timeout=30,
                           env=environment(OPENBLAS_NUM_THREADS=1),
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
        self.assertRegex(outcome.err, r"\A(espalier: [^\n]+\n)?\Z")
        return outcome

    def test_the_system_s_limit_on_the_address_space(self):
        for mib in (256, 320, 400, 480, 560, 640, 720, 800, 8192):
            with self.subTest(limit=f"{mib} MiB"):
                outcome = self.limited_run(mib, "laplace3d:16")
                self.assertIn(outcome.code, {256: [5], 8192: [0]}.get(mib, [0, 5]), outcome.err)

    def test_rows_that_do_not_come_take_none(self):
        for symmetry in ("symmetric", "general"):
            matrix = self.write("a.mtx", f"%%MatrixMarket matrix coordinate real {symmetry}\n2147483647 2147483647 1\n"
                                         "2147483647 2147483647 1.0\n")
            outcome = self.limited_run(8192, matrix)
            self.assertEqual(outcome.code, 3, outcome.err)
            self.assertIn("the entry (1, 1) on the diagonal is missing", outcome.err)

    def test_more_right_hand_sides_than_memory(self):
        outcome = self.limited_run(8192, "laplace2d:300", "--nrhs", 100000)
        self.assertEqual(outcome.code, 5, outcome.err)


if __name__ == "__main__":
    main()
