#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Everything that needs a CUDA device, on the stand-in for one: LD_PRELOAD puts functions of this machine in the place
of CUDA's. They run the kernels' code, each stream in a thread of its own, so that all but the device itself is tested."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.program import ProgramTest, environment, main  # noqa: E402

CUDA_TESTS = os.environ["ESPALIER_CUDA_TESTS"]
ALL_ON_DEVICES = ["--sched", "fanout"] + [word for kernel in ("potrf", "trsm", "syrk", "gemm")
                                          for word in ("--sched-option", f"threshold_{kernel}=0")]


def with_device(devices=1, **changes):
    return environment(LD_PRELOAD=os.environ["ESPALIER_STAND_IN"], STAND_IN_DEVICES=devices, **changes)


class StandIn(ProgramTest):
    def run_all(self, *command):
        done = subprocess.run(command, env=with_device(), capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def solve(self, *arguments, **env):
        report = self.report_of("solve", "laplace3d:14", "--workers", 1, "--granularity", "tile", "--repeat", 3, *arguments,
                                env=with_device(**env))
        self.expect_accurate(report)
        return report

    def test_tasks(self):
        self.assertNotIn("SKIPPED", self.run_all(CUDA_TESTS))

    def test_program(self):
        self.assertIn("(skipped=1)", self.run_all(sys.executable, ROOT / "tests" / "cli" / "cuda.py"))

    def test_two_devices(self):
        report = self.solve("--cuda-devices", 2, "--sched", "eager", devices=2)
        self.assertEqual(report["machine"]["cuda_workers"], 2)

    def test_several_workers_of_a_device(self):
        report = self.solve("--cuda-devices", 1, *ALL_ON_DEVICES, STARPU_NWORKER_PER_CUDA=3)
        self.assertEqual(report["machine"]["cuda_workers"], 3)

    def test_tasks_one_after_another(self):
        self.solve("--cuda-devices", 1, *ALL_ON_DEVICES, STARPU_CUDA_PIPELINE=0)

    def test_little_memory_of_the_device(self):
        # Half of the factor of this problem. StarPU's own allocator would take 32 MiB at a time.
        report = self.report_of("solve", "laplace3d:24", "--workers", 1, "--granularity", "tile", "--cuda-devices", 1,
                                *ALL_ON_DEVICES, env=with_device(STARPU_LIMIT_CUDA_MEM=8, STARPU_SUBALLOCATOR=0))
        self.expect_accurate(report)
        self.assertGreater(report["offload"]["fraction"], 0.2)

    def test_a_device_without_memory(self):
        self.expect_failure(7, "solve", "laplace3d:14", "--cuda-devices", 1, env=with_device(STAND_IN_BYTES=1 << 20),
                            says="CUDA device")


if __name__ == "__main__":
    main()
