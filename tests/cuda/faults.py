#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Devices that fail or have no memory, on the stand-in for them: an exit code and a line of text."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.devices import ALL_ON_DEVICES, with_stand_in  # noqa: E402
from support.program import ProgramTest, espalier, main  # noqa: E402
from support.ranks import on_ranks  # noqa: E402


class Faults(ProgramTest):
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

    def test_a_device_without_memory(self):
        self.expect_failure(7, "solve", "laplace3d:14", "--cuda-devices", 1, env=with_stand_in(STAND_IN_BYTES=1 << 20),
                            says="CUDA device")


if __name__ == "__main__":
    main()
