#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every scheduler that the program offers solves, is the one that runs, and is chosen in the stated order."""
import os

from support.program import ProgramTest, environment, espalier, main


class Schedulers(ProgramTest):
    def offered(self):
        message = espalier("solve", "laplace2d:2", "--sched", "nosuch").err
        return message.strip().split("choose one of ")[1].split(", ")

    def test_the_usual_ones_are_offered(self):
        self.assertLessEqual({"eager", "prio", "lws", "ws", "random", "dmda", "dmdas", "heteroprio"},
                             set(self.offered()))

    def test_each_solves(self):
        # StarPU's modular-ws leaks; the other tests look for leaks of our own.
        env = environment(ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        for name in self.offered():
            with self.subTest(scheduler=name):
                report = self.report_of("solve", "laplace3d:10", "--sched", name, "--granularity", "panel",
                                        "--workers", 2, "--repeat", 2, timeout=30, env=env)
                self.expect_accurate(report)
                self.assertEqual(report["scheduler"], {"requested": name, "active": name})

    def test_the_usual_ones_with_blocks_and_tiles(self):
        for name in ("eager", "prio", "lws", "dmda", "dmdas"):
            for granularity in ("tile", "block"):
                for workers in (1, 3):
                    with self.subTest(scheduler=name, granularity=granularity, workers=workers):
                        self.expect_accurate(self.report_of("solve", "laplace3d:10", "--sched", name, "--workers",
                                                            workers, "--granularity", granularity, timeout=30))

    def test_the_option_goes_before_the_environment(self):
        env = environment(STARPU_SCHED="eager")
        self.assertEqual(self.report_of("solve", "laplace2d:9", env=env)["scheduler"]["active"], "eager")
        self.assertEqual(self.report_of("solve", "laplace2d:9", "--sched", "lws", env=env)["scheduler"]["active"],
                         "lws")

    def test_a_wrong_option_of_a_policy_is_refused(self):
        self.expect_failure(2, "solve", "laplace2d:3", "--sched", "lws", "--sched-option", "nosuch=1",
                            says=["'nosuch'", "lws has no options"])
        self.expect_failure(2, "solve", "laplace2d:3", "--sched-option", "nosuch", says=["'nosuch'", "key=value"])
        self.expect_failure(2, "solve", "laplace2d:3", "--sched-option", says="--sched-option")
        self.expect_failure(6, "solve", "laplace2d:3", "--sched", "nosuch", "--sched-option", "a=1", says="'nosuch'")

    def test_workers_by_option_and_environment(self):
        env = environment(STARPU_NCPU=1)
        self.assertEqual(self.report_of("solve", "laplace2d:9", env=env)["machine"]["cpu_workers"], 1)
        self.assertEqual(self.report_of("analyze", "laplace2d:9", env=env)["machine"]["cpu_workers"], 1)
        by_option = self.report_of("solve", "laplace2d:9", "--workers", 2, env=env)
        self.assertEqual(by_option["machine"]["cpu_workers"], 2)


if __name__ == "__main__":
    main()
