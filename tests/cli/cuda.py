#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CUDA devices. A build without CUDA refuses them. Without a device, everything runs on the CPU. With a device, answers are right under
every policy, wherever tasks run. Tests that need a device say that they are skipped if the machine has none."""
import json
import unittest

from support.devices import ALL_ON_DEVICES
from support.matrices import grid_entries, symmetric
from support.own_files import own_file, tuning
from support.program import ProgramTest, environment, espalier, main

M = 12
PROBLEM = ("laplace3d:12", "--workers", 1, "--granularity", "tile", "--repeat", 2, "--cuda-devices", 1)
POLICIES = ("espalier", "fanout", "ktq", "levelset", "hlevelset", "eager", "lws", "dmdas")


def is_built_with_cuda():
    return "built without CUDA" not in espalier("solve", "laplace2d:3", "--cuda-devices", 1).err


class Refused(ProgramTest):
    def test_a_build_without_cuda_refuses_devices(self):
        if is_built_with_cuda():
            self.skipTest("the program is built with CUDA")
        file = self.folder / "costs.json"
        for command in (["solve", "laplace2d:3"], ["compare", "laplace2d:3", "--repeat", 1],
                        ["tune", "laplace2d:3", "--out", file], ["calibrate", "--out", file]):
            self.expect_failure(2, *command, "--cuda-devices", 1,
                                says=["built without CUDA", "tools/gpu/build.sh", "leave out --cuda-devices"])
        self.expect_success("solve", "laplace2d:3", "--cuda-devices", 0)

    def test_impossible_numbers_are_refused(self):
        self.expect_failure(2, "solve", "laplace2d:5", "--cuda-devices", -1, says="cuda-devices")


class Cuda(ProgramTest):
    @classmethod
    def setUpClass(cls):
        if not is_built_with_cuda():
            raise unittest.SkipTest("the program is built without CUDA")

    def counts(self, report, worker):
        return {kind["kind"]: kind["count"] for kind in report["kinds"] if kind["worker"] == worker}

    def on_device(self, *arguments, code=0, **options):
        report = self.report_of("solve", *arguments, code=code, **options)
        if report["machine"]["cuda_workers"] == 0:
            self.skipTest("this machine has no CUDA device")
        if code == 0:
            self.expect_accurate(report)
        return report

    def test_without_a_device_all_runs_on_the_cpu(self):
        report = self.report_of("solve", *PROBLEM)
        self.expect_accurate(report)
        if report["machine"]["cuda_workers"] > 0:
            self.skipTest("this machine has a CUDA device")
        self.assertEqual({kind["worker"] for kind in report["kinds"]}, {"cpu"})
        self.assertEqual(report["offload"]["fraction"], 0)
        self.assertEqual(report["tasks"]["fill"], 0)
        self.assertNotIn("CUDA", self.expect_success("solve", *PROBLEM).out)

    def test_has_tunings_of_its_own(self):
        env = environment(XDG_DATA_HOME=self.folder)
        default = self.on_device(*PROBLEM, env=env)
        for kind, used in (("tuning-1", False), ("tuning-1x1+1cuda", True)):
            file = own_file(self.folder, kind)
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(tuning(1, panel_width=16)))
            report = self.on_device(*PROBLEM, env=env)
            self.assertEqual(report["tuning"]["file"], str(file) if used else "")
            self.assertEqual(report["symbolic"]["blocks"] > default["symbolic"]["blocks"], used)

    def test_only_where_asked_for(self):
        report = self.report_of("solve", *PROBLEM[:-2])
        self.assertEqual(report["machine"]["cuda_workers"], 0)

    def test_devices_are_not_deterministic(self):
        self.on_device("laplace2d:5", "--cuda-devices", 1)
        self.expect_failure(2, "solve", "laplace2d:5", "--deterministic", "--cuda-devices", 1, says="CUDA devices")

    def test_every_policy_solves(self):
        for name in POLICIES:
            with self.subTest(scheduler=name):
                report = self.on_device(*PROBLEM, "--sched", name)
                self.assertEqual(report["scheduler"]["active"], name)

    def test_all_operations_on_a_device(self):
        for matrix in ("laplace3d:12", "irregular2d:2000"):
            for granularity in ("panel", "tile", "block"):
                with self.subTest(matrix=matrix, granularity=granularity):
                    report = self.on_device(matrix, "--workers", 1, "--granularity", granularity, "--repeat", 2,
                                            "--cuda-devices", 1, *ALL_ON_DEVICES)
                    there = self.counts(report, "cuda")
                    for kind in ("diagonal", "factor", "update"):
                        if report["tasks"][kind] > 0:
                            self.assertEqual(there[kind], report["tasks"][kind], kind)

    def test_a_failed_pivot_on_a_device(self):
        for column in (1, M**2 // 2, M**2):
            matrix = self.write("a.mtx", symmetric(M**2, {**grid_entries(M), (column, column): -1.0}))
            with self.subTest(column=column):
                report = self.report_of("solve", matrix, "--granularity", "block", "--workers", 1, "--cuda-devices", 1,
                                        *ALL_ON_DEVICES, code=4)
                self.assertEqual(report["not_positive_definite"]["column"], column)


if __name__ == "__main__":
    main()
