#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Devices of the stand-in that fail, lack memory or cannot be used: the program ends with an exit code and a line of text."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.devices import ALL_ON_DEVICES, DeviceTest, with_stand_in  # noqa: E402
from support.program import ALL_COMBINATIONS, espalier, main  # noqa: E402
from support.ranks import on_ranks  # noqa: E402


class Faults(DeviceTest):
    def test_a_device_that_fails_in_a_task(self):
        path = self.folder / "report.json"
        options = ["laplace3d:14", "--granularity", "tile", "--cuda-devices", 1, *ALL_ON_DEVICES]
        self.expect_failure(7, "solve", *options, env=with_stand_in(STAND_IN_FAILS="cublasDtrsm:2"),
                            says=("CUDA device 0", "solving with a triangle", "nvidia-smi"))
        report = self.report_of("solve", *options, code=7, env=with_stand_in(STAND_IN_FAILS="cublasDtrsm:2"))
        self.assertIn("CUDA device 0", report["message"])
        done = on_ranks(2, "solve", *options, "--workers", 1, "--report", path,
                        variables=with_stand_in(2, STAND_IN_FAILS="cublasDtrsm:2"))
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("CUDA device", json.loads(path.read_text())["message"])

    def test_a_device_that_fails_under_starpu(self):
        outcome = espalier("solve", "laplace3d:14", "--granularity", "tile", "--cuda-devices", 1, *ALL_ON_DEVICES,
                           env=with_stand_in(STAND_IN_FAILS="cudaEventRecord:20"))
        self.assertEqual(outcome.code, 7, outcome.err)
        self.assertRegex(outcome.err, r"(?m)^espalier: CUDA device 0 failed [^\n]+nvidia-smi[^\n]+\n\Z")
        self.assertEqual(outcome.err.count("espalier:"), 1)

    def test_a_kernel_that_fails_after_its_event_was_recorded(self):
        """Calls of CUDA that start work still succeed, but all queries about its end fail."""
        for pipeline in (2, 0):
            with self.subTest(pipeline=pipeline):
                failing = with_stand_in(STAND_IN_FAILS="kernel:20", STAND_IN_DELAY=200, STARPU_CUDA_PIPELINE=pipeline)
                outcome = espalier("solve", "laplace3d:14", "--granularity", "block", "--cuda-devices", 1, *ALL_ON_DEVICES,
                                   env=failing, timeout=30)
                self.assertEqual(outcome.code, 7, outcome.err)
                self.assertRegex(outcome.err, r"(?m)^espalier: CUDA device 0 failed [^\n]+nvidia-smi[^\n]+\n\Z")

    def test_wherever_a_device_fails_the_program_ends(self):
        """Tasks are the same in each run. Some copies depend on the order of tasks."""
        options = ["laplace3d:5", "--granularity", "block", "--cuda-devices", 1, *ALL_ON_DEVICES]
        report = self.stand_in_report("solve", *options)
        for kind in ("kernel", "copy"):
            done = report["kernels" if kind == "kernel" else "copies"]
            self.assertGreater(done, 20)
            for after in range(0, done * 3 // 4, 1 if ALL_COMBINATIONS else 12):
                with self.subTest(kind=kind, after=after):
                    outcome = espalier("solve", *options, env=with_stand_in(STAND_IN_FAILS=f"{kind}:{after}"), timeout=30)
                    self.assertEqual(outcome.code, 7, outcome.err)

    def test_want_of_memory_that_starpu_copes_with(self):
        """If an allocation fails, StarPU frees other data and allocates again. The failed allocation must not count as a failure
        of the next call."""
        full = with_stand_in(STAND_IN_FAILS="cudaMalloc:13:once", STARPU_SUBALLOCATOR=0)
        report = self.report_of("solve", "laplace3d:14", "--granularity", "tile", "--cuda-devices", 1, *ALL_ON_DEVICES, env=full)
        self.expect_accurate(report)

    def test_a_device_that_another_process_has_for_itself(self):
        busy = with_stand_in(STAND_IN_BUSY=1)
        self.expect_failure(7, "solve", "laplace2d:9", "--cuda-devices", 1, env=busy, says=("CUDA device 0", "busy"))
        done = on_ranks(2, "solve", "laplace2d:9", "--cuda-devices", 1, "--workers", 1, variables=busy)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("busy", done.stderr)

    def test_devices_that_a_variable_of_starpu_lists(self):
        """In StarPU, STARPU_WORKERS_CUDAID takes precedence. StarPU aborts if it cannot use a device that this variable
        lists."""
        options = ["solve", "laplace2d:9", "--cuda-devices", 1]
        for listed in ("0", "1 0", " 1"):
            with self.subTest(listed=listed):
                busy = with_stand_in(2, STAND_IN_BUSY=1, STARPU_WORKERS_CUDAID=listed)
                self.expect_failure(7, *options, env=busy, says=(f"CUDA device {int(listed.split()[0])}", "busy"))
                report = self.report_of(*options, env=with_stand_in(2, STARPU_WORKERS_CUDAID=listed))
                self.assertEqual(report["machine"]["cuda_devices"], 1)
        for listed, wrong in (("2", "2"), ("0-1", "-1")):
            with self.subTest(listed=listed):
                self.expect_failure(2, *options[:-1], 2, env=with_stand_in(2, STARPU_WORKERS_CUDAID=listed),
                                    says=("STARPU_WORKERS_CUDAID", f"device {wrong},"))
        self.expect_failure(2, *options, env=with_stand_in(2, STARPU_WORKERS_CUDAID="none"), says="STARPU_WORKERS_CUDAID")
        done = on_ranks(2, *options, "--workers", 1, variables=with_stand_in(2, STAND_IN_BUSY=1, STARPU_WORKERS_CUDAID="1"))
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("CUDA device 1", done.stderr)

    def test_a_driver_that_is_too_old(self):
        old = with_stand_in(STAND_IN_DRIVER=12040)
        self.expect_failure(7, "solve", "laplace2d:9", "--cuda-devices", 1, env=old, says=("CUDA 12.4", "driver"))
        self.expect_success("solve", "laplace2d:9", env=old)
        none = with_stand_in(STAND_IN_DRIVER=0)
        self.assertNotIn("CUDA", self.expect_success("solve", "laplace2d:9", "--cuda-devices", 1, env=none).out)

    def test_more_devices_than_starpu_knows(self):
        many = with_stand_in(20)
        self.expect_failure(7, "solve", "laplace2d:9", "--cuda-devices", 17, env=many,
                            says=("devices 0 to 15", "device 16", "CUDA_VISIBLE_DEVICES"))

    def test_a_calibration_with_a_device_that_fails(self):
        self.expect_failure(7, "calibrate", "--cuda-devices", 1, "--workers", 1, "--quick", "--quiet", "--out",
                            self.folder / "costs.json", env=with_stand_in(STAND_IN_FAILS="cublasDgemm:3"), says="CUDA device 0")

    def test_a_device_without_memory(self):
        self.expect_failure(7, "solve", "laplace3d:14", "--cuda-devices", 1, env=with_stand_in(STAND_IN_BYTES=1 << 20),
                            says="CUDA device")


if __name__ == "__main__":
    main()
