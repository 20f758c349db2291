#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Factorizations and solves on handles whose newest copies are in the memory of a coprocessor."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

from support.processes import ProcessTest  # noqa: E402
from support.starpu_programs import one_coprocessor, run_with_coprocessor, starpu_environment  # noqa: E402

PROGRAM = os.environ.get("ESPALIER_HANDLES_ON_COPROCESSOR", "")


class OnCoprocessor(ProcessTest):
    def expect_solved(self, workers):
        code, _, err = run_with_coprocessor([PROGRAM], starpu_environment(workers, STARPU_SCHED="eager", **one_coprocessor()), timeout=60)
        if code == 77:
            self.skipTest("this StarPU has no coprocessors")
        self.assertEqual(code, 0, err)

    def test_factorizations_and_solves_in_one_task(self):
        self.expect_solved(1)

    def test_factorizations_and_solves_in_many_tasks(self):
        self.expect_solved(2)


if __name__ == "__main__":
    unittest.main()
