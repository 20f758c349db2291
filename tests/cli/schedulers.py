#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every offered scheduler solves the problem, is the one that runs, and is chosen in the documented order."""
import os

from support.program import ProgramTest, environment, espalier, main

# Policy, key, an allowed value and a forbidden one for each option.
OPTIONS = [
    ("fanout", "grid", "2x1", "2x"), ("fanout", "ready_order", "lifo", "FIFO"), ("fanout", "steal", "1", "2"), ("fanout", "join", "0", "2"),
    ("fanout", "thresholds", "calibrated", "mine"), ("fanout", "threshold_potrf", "0", "-1"),
    ("fanout", "threshold_trsm", "1e3", "many"),
    ("fanout", "threshold_syrk", "auto", "automatic"), ("fanout", "threshold_gemm", "0.5", ""),
    ("fanout", "threshold_solve_trsm", "10", "-2"), ("fanout", "threshold_solve_gemm", "auto", "x"),
    ("fanout", "threshold_foreign", "100", "-1"),
    ("fanout", "device_memory", "100", "1.5"), ("fanout", "device_block", "4096", "-1"),
    ("fanout", "on_device_full", "fail", "gpu"),
    ("ktq", "queues", "inst+dpq", "tpq"), ("ktq", "limits", "size", "flops"), ("ktq", "inst_us", "1.5", "-1"),
    ("ktq", "dpq_us", "auto", "1us"), ("ktq", "inst_size", "8.5", "auto"), ("ktq", "dpq_size", "64", "-1"),
    ("ktq", "batch", "4", "0"), ("ktq", "fuse", "1", "2"), ("ktq", "partitions", "hlevelset", "levelset"), ("ktq", "groups", "2", "0"),
    ("ktq", "levels", "2", "0"), ("ktq", "parts", "3", "auto"), ("hlevelset", "levels", "3", "1.5"), ("hlevelset", "parts", "2", "auto"),
]


def on_cpus(report):
    return [kind for kind in report["kinds"] if kind["worker"] == "cpu"]


class Schedulers(ProgramTest):
    def offered(self):
        message = espalier("solve", "laplace2d:2", "--sched", "nosuch").err
        return message.strip().split("choose one of ")[1].split(", ")

    def test_the_usual_ones_are_offered(self):
        self.assertLessEqual({"eager", "prio", "lws", "ws", "random", "dmda", "dmdas", "heteroprio"},
                             set(self.offered()))

    def test_each_solves(self):
        # StarPU's modular-ws leaks memory. The other tests check Espalier for leaks.
        env = environment(ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        for name in self.offered():
            with self.subTest(scheduler=name):
                report = self.report_of("solve", "laplace3d:10", "--sched", name, "--granularity", "panel",
                                        "--workers", 2, "--repeat", 2, timeout=30, env=env)
                self.expect_accurate(report)
                queues = report["scheduler"].pop("queues", None)
                self.assertEqual(queues is not None, name == "ktq")
                self.assertEqual(report["scheduler"].pop("queue_sizes", None) is not None, name == "fanout")
                self.assertEqual([report["scheduler"][key] for key in ("requested", "active")], [name, name])

    def test_the_usual_ones_with_blocks_and_tiles(self):
        for name in ("eager", "prio", "lws", "dmda", "dmdas"):
            for granularity in ("tile", "block"):
                for workers in (1, 3):
                    with self.subTest(scheduler=name, granularity=granularity, workers=workers):
                        self.expect_accurate(self.report_of("solve", "laplace3d:10", "--sched", name, "--workers",
                                                            workers, "--granularity", granularity, timeout=30))

    def test_halo_without_devices_is_refused(self):
        message = "no devices; add some with --coprocessors or --cuda-devices"
        self.expect_failure(6, "solve", "laplace2d:5", "--sched", "halo", says=message)
        self.expect_failure(6, "solve", "laplace2d:5", env=environment(STARPU_SCHED="halo"), says=message)
        self.expect_failure(2, "solve", "laplace2d:5", "--halo", "mdwin", says=["halo", "no options"])
        self.assertNotIn("halo", self.offered())

    def queues(self, *options, problem=("laplace3d:10", "--granularity", "block"), repeat=1):
        words = [word for option in options for word in ("--sched-option", option)]
        report = self.report_of("solve", *problem, "--sched", "ktq", *words, "--workers", 2, "--repeat", repeat)
        self.expect_accurate(report)
        return {q["queue"]: q for q in report["scheduler"]["queues"]}, report

    def test_the_report_has_the_queues_of_ktq(self):
        for repeat in (1, 3):
            queues, report = self.queues("inst_us=1", "dpq_us=4", repeat=repeat)
            self.assertEqual(set(queues), {"inst", "tpq", "dpq"})
            self.assertEqual(sum(q["tasks"] for q in queues.values()), sum(kind["count"] for kind in on_cpus(report)))
            self.assertTrue(all(q["seconds"] > 0 for q in queues.values()), queues)
            # Both sums are equal only if no task has several workers, because these may take different times.
            queues, report = self.queues("inst_us=0", "dpq_us=1e9", repeat=repeat)
            self.assertEqual(set(queues), {"tpq"})
            self.assertAlmostEqual(queues["tpq"]["seconds"], sum(kind["seconds"] for kind in on_cpus(report)))
        out = espalier("solve", "laplace3d:10", "--granularity", "block", "--sched", "ktq", "--workers", 2, "--verbose").out
        self.assertRegex(out, r"(inst|tpq): \d+ tasks in ")

    def test_the_report_has_the_sizes_of_the_queues_of_fanout(self):
        """All tasks wait at first, few are ready, and none is left at the end."""
        report = self.report_of("solve", "laplace3d:16", "--granularity", "block", "--sched", "fanout", "--workers", 2,
                                "--repeat", 3)
        (sizes,) = report["scheduler"]["queue_sizes"]
        ltq, rtq = sizes["ltq"], sizes["rtq"]
        tasks = sum(kind["count"] for kind in report["kinds"])
        self.assertEqual((sizes["rank"], len(ltq), len(rtq)), (0, 64, 64))
        self.assertAlmostEqual(64 * sizes["interval_seconds"], report["factor"]["seconds"], delta=1e-9)
        self.assertGreater(max(ltq), 0.1 * tasks)
        self.assertGreater(max(rtq), 0)
        self.assertGreaterEqual(min(ltq + rtq), 0)
        self.assertTrue(all(waiting + ready <= tasks for waiting, ready in zip(ltq, rtq)))
        self.assertLess(ltq[-1], max(ltq))

    def test_limits_by_size_are_those_of_the_paper(self):
        queues, _ = self.queues("limits=size")
        self.assertEqual(set(queues), {"inst", "tpq", "dpq"}, "D and F at once or by all, U by size")
        queues, report = self.queues("limits=size", "queues=dpq", "inst_size=0", "dpq_size=0")
        tasks = report["tasks"]
        self.assertEqual(queues["dpq"]["tasks"], tasks["factor"] + tasks["update"])

    def test_fused_tasks_are_fewer(self):
        _, apart = self.queues("fuse=0")
        _, fused = self.queues("fuse=1")
        self.assertLess(fused["tasks"]["update"], apart["tasks"]["update"])
        self.assertEqual(fused["tasks"]["diagonal"], apart["tasks"]["diagonal"])
        _, small = self.queues("fuse=1", "dpq_size=1")
        self.assertEqual(small["tasks"]["update"], apart["tasks"]["update"])

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

    def solve(self, policy, *assignments):
        return ("solve", "laplace2d:3", "--sched", policy, *(word for a in assignments for word in ("--sched-option", a)))

    def test_every_option_of_a_policy_is_in_the_table_above(self):
        for policy in {policy for policy, *_ in OPTIONS}:
            message = espalier(*self.solve(policy, "nosuch=1")).err
            self.assertEqual(message.strip().split(f"{policy} has the options ")[1].split(", "),
                             [key for owner, key, *_ in OPTIONS if owner == policy])

    def test_options_are_taken_with_allowed_values_only(self):
        for policy, key, right, wrong in OPTIONS:
            with self.subTest(key=key):
                self.expect_success(*self.solve(policy, f"{key}={right}"))
                self.expect_success(*self.solve(policy, f"{key}={right}", f"{key}={right}"))
                self.expect_failure(2, *self.solve(policy, f"{key}={wrong}"), says=[f"{key}: '{wrong}' is not", policy])

    def test_options_come_from_the_environment_too(self):
        for policy, key, right, wrong in OPTIONS:
            variable = "ESPALIER_" + key.upper()
            with self.subTest(variable=variable):
                self.expect_success(*self.solve(policy), env=environment(**{variable: right}))
                self.expect_failure(2, *self.solve(policy), env=environment(**{variable: wrong}),
                                    says=[f"{variable}: '{wrong}' is not", policy])

    def test_options_are_those_of_the_policy_that_runs(self):
        for policy, key, right, wrong in OPTIONS:
            with self.subTest(key=key):
                self.expect_failure(2, *self.solve("espalier", f"{key}={right}"),
                                    says=[f"'{key}'", "only for these schedulers", policy])
                self.expect_success(*self.solve("espalier"), env=environment(**{"ESPALIER_" + key.upper(): wrong}))

    def test_workers_by_option_and_environment(self):
        env = environment(STARPU_NCPU=1)
        self.assertEqual(self.report_of("solve", "laplace2d:9", env=env)["machine"]["cpu_workers"], 1)
        self.assertEqual(self.report_of("analyze", "laplace2d:9", env=env)["machine"]["cpu_workers"], 1)
        by_option = self.report_of("solve", "laplace2d:9", "--workers", 2, env=env)
        self.assertEqual(by_option["machine"]["cpu_workers"], 2)


if __name__ == "__main__":
    main()
