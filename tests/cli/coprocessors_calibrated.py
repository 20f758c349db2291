#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Policies give coprocessors work by their measured speed."""
from support.coprocessors import change_costs, skip_without_coprocessors, write_costs
from support.program import ProgramTest, environment, main


class CalibratedCoprocessors(ProgramTest):
    def test_thresholds_by_what_was_measured(self):
        options = ["solve", "laplace3d:12", "--workers", 1, "--granularity", "tile", "--coprocessors", 1, "--sched",
                   "fanout", "--sched-option", "thresholds=calibrated"]
        env = environment(XDG_DATA_HOME=self.folder)
        self.expect_failure(2, *options, env=env, says=["thresholds=calibrated", "espalier calibrate"])

        def fraction(seconds, *more):
            write_costs(self.folder, seconds)
            report = self.report_of(*options, *more, env=env)
            self.expect_accurate(report)
            return report["offload"]["fraction"]
        fast = fraction(1e-15)
        self.assertGreater(fast, 0.1)
        self.assertEqual(fraction(1e-3), 0)
        self.assertGreater(fraction(1e-3, "--sched-option", "threshold_trsm=0"), 0)
        self.assertLess(fraction(1e-15, "--sched-option", "threshold_gemm=1e9"), fast)
        self.assertEqual(fraction(1e-15, "--sched-option", "thresholds=auto"), fast)
        self.assertEqual(fraction(1e-3, "--sched-option", "thresholds=auto"), 0)
        self.assertEqual(fraction(1e-15, "--sched-option", "thresholds=paper"), 0, "all of them are small")

    def test_devices_have_work_by_their_speed(self):
        """Devices get no work if they are a thousand times as slow as any host, or if copies take a second. Next to a slow host they get
        some work; decide/memory_nodes_test.cpp tests how much. StarPU's dmdas uses its own measurements of the bus as well."""
        env = environment(XDG_DATA_HOME=self.folder)

        def offloaded(scheduler):
            reports = [self.report_of("solve", "laplace3d:20", "--workers", 1, "--granularity", "tile",
                                      "--coprocessors", 1, "--sched", scheduler, env=env) for _ in range(3)]
            for report in reports:
                self.expect_accurate(report)
            return sum(report["offload"]["fraction"] for report in reports)
        write_costs(self.folder, 1e-6)
        for name in ("espalier", "ktq", "dmdas"):
            with self.subTest(scheduler=name):
                self.assertEqual(offloaded(name), 0)
        slow = {"latency_seconds": 1, "byte_seconds": 0}
        write_costs(self.folder, 1e-15, to=slow, back=slow)
        for name in ("espalier", "ktq"):
            with self.subTest(scheduler=name, copies="slow"):
                self.assertEqual(offloaded(name), 0)
        self.expect_success("calibrate", "--quick", "--quiet", env=env)
        write_costs(self.folder, 1e-15)
        change_costs(self.folder, 1e-6, "")
        for name in ("espalier", "ktq"):
            with self.subTest(scheduler=name):
                self.assertGreater(offloaded(name), 0.1)


if __name__ == "__main__":
    skip_without_coprocessors()
    main()
