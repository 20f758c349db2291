#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The other tests that need a CUDA device, and the benchmark, on the stand-in for one: LD_PRELOAD puts functions of this
machine in the place of CUDA's. They run the kernels' code, each stream in a thread of its own, so that all but the device
itself is tested."""
import csv
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.devices import with_stand_in  # noqa: E402
from support.program import PROGRAM, ProgramTest, environment, main  # noqa: E402

CUDA_TESTS = os.environ["ESPALIER_CUDA_TESTS"]


class StandIn(ProgramTest):
    def run_all(self, *command, **variables):
        done = subprocess.run([str(word) for word in command], env=with_stand_in(**variables), capture_output=True, text=True,
                              timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_tasks_and_the_stand_in_itself(self):
        """All kernels, on the stand-in that the sanitizer for undefined behaviour sees into."""
        output = self.run_all(CUDA_TESTS, devices=2, LD_PRELOAD=os.environ["ESPALIER_CHECKED_STAND_IN"],
                              STAND_IN_ORDER="compare", STAND_IN_LATE=1)
        self.assertNotIn("SKIPPED", output)

    def test_program(self):
        """Of its tests, one is for builds without CUDA, and one for machines without a device."""
        self.assertIn("(skipped=2)", self.run_all(sys.executable, ROOT / "tests" / "cli" / "cuda.py"))

    def test_memory_is_predicted_of_a_build_with_cuda(self):
        """Of processes without a device, which load CUDA's libraries all the same."""
        tests = [f"Memory.test_the_prediction_{which}" for which in ("is_near_the_peak", "for_ranks_is_near_the_peak")]
        done = subprocess.run([sys.executable, ROOT / "tests" / "cli" / "memory.py", *tests], env=environment(), capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_benchmark(self):
        self.run_all(sys.executable, ROOT / "tools" / "gpu" / "benchmark.py", PROGRAM, self.folder, 60, "laplace3d:14")
        with open(self.folder / "benchmark.csv", encoding="utf-8") as table:
            lines = [(line["policy"], line["workers"][-6:]) for line in csv.DictReader(table)]
        self.assertEqual(len(lines), 11)
        self.assertEqual(set(lines), {(policy, workers) for policy in ("espalier", "fanout", "halo", "ktq", "dmdas", "lws")
                                      for workers in ("0 CUDA", "1 CUDA")} - {("halo", "0 CUDA")})


if __name__ == "__main__":
    main()
