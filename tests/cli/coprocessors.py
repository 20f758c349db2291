#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Coprocessors are other processes that run tasks. Answers are right under every policy, wherever tasks run. Errors, signals and the loss
of a coprocessor end the program as promised."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from support.charts import read_page
from support.coprocessors import ALL_ON_DEVICES, OWN, PROBLEM, STARPUS, runs, skip_without_coprocessors, write_costs
from support.matrices import grid_entries, symmetric
from support.processes import has_ended
from support.program import PROGRAM, ProgramTest, combinations, environment, main

M = 12


class Coprocessors(ProgramTest):
    def test_every_policy_solves_with_one_and_two(self):
        for name, count in combinations(OWN + STARPUS, (2, 1)):
            with self.subTest(scheduler=name, coprocessors=count):
                report = self.report_of("solve", *PROBLEM, "--sched", name, "--coprocessors", count)
                self.expect_accurate(report)
                self.assertEqual(report["scheduler"]["active"], name)
                self.assertEqual(report["machine"]["cpu_workers"], 1)
                self.assertEqual(report["machine"]["coprocessor_workers"], count)
                self.assertNotIn("subtree", runs(report, "coprocessor"))
                self.assertNotIn("fill", runs(report, "coprocessor"))
                together = sum(kind["count"] for kind in report["kinds"])
                self.assertEqual(together, sum(report["tasks"][kind] for kind in (
                    "diagonal", "factor", "update", "subtree", "assemble", "reduce", "fill")))

    def test_all_operations_on_coprocessors(self):
        for granularity, matrix in combinations(("panel", "tile", "block"), ("laplace3d:9", "irregular2d:2000")):
            with self.subTest(matrix=matrix, granularity=granularity):
                report = self.report_of("solve", matrix, "--workers", 1, "--granularity", granularity, "--repeat", 2,
                                        "--coprocessors", 1, *ALL_ON_DEVICES)
                self.expect_accurate(report)
                there = runs(report, "coprocessor")
                for kind in ("diagonal", "factor", "update"):
                    if report["tasks"][kind] > 0:
                        self.assertEqual(there[kind], report["tasks"][kind], kind)
                self.assertGreater(report["offload"]["fraction"], 0)

    def with_instant_copies(self):
        """Returns an environment whose cost table has copies that take no time, so that devices take part in solves on any machine."""
        write_costs(self.folder, to={"latency_seconds": 0, "byte_seconds": 1e-15})
        return environment(XDG_DATA_HOME=self.folder)

    def test_solving_with_many_right_hand_sides(self):
        report = self.report_of("solve", "laplace3d:30", "--workers", 1, "--nrhs", 64, "--coprocessors", 1,
                                *ALL_ON_DEVICES, env=self.with_instant_copies())
        self.expect_accurate(report)
        self.assertGreater(report["solve"]["offloaded"], 0.1)
        report = self.report_of("solve", "laplace3d:9", "--workers", 1, "--coprocessors", 1)
        self.assertEqual(report["solve"]["offloaded"], 0)

    def test_assembling_on_coprocessors(self):
        # While the CPU worker runs a subtree, the coprocessor assembles. On a busy machine the CPU worker may be first, so repeat.
        for _ in range(10):
            report = self.report_of("solve", "laplace3d:20", "--workers", 1, "--coprocessors", 2, "--sched", "eager",
                                    "--granularity", "panel", "--repeat", 5)
            self.expect_accurate(report)
            if runs(report, "coprocessor").get("assemble", 0) > 0:
                return
        self.fail("no coprocessor assembled anything in ten runs")

    def test_kernel_task_queues(self):
        # Instant tasks stay on CPUs. Large tasks run on all CPUs together or on a coprocessor.
        for option, there in (("inst_us=1e9", 0), ("dpq_us=1", 1)):
            with self.subTest(option=option):
                report = self.report_of("solve", "laplace3d:30", "--workers", 2, "--granularity", "tile", "--repeat", 3,
                                        "--coprocessors", 1, "--sched", "ktq", "--sched-option", option)
                self.expect_accurate(report)
                self.assertEqual(min(1, sum(runs(report, "coprocessor").values())), there)

    def test_several_threads(self):
        report = self.report_of("solve", *PROBLEM, "--sched", "lws", "--coprocessors", 1, "--coprocessor-threads", 3)
        self.expect_accurate(report)
        self.assertEqual(report["machine"]["coprocessor_workers"], 3)
        self.assertEqual(report["machine"]["coprocessor_threads"], 3)

    def test_the_same_bits_as_without(self):
        solutions = []
        for options in ([], ["--coprocessors", 1, *ALL_ON_DEVICES]):
            out = self.folder / "x.mtx"
            self.expect_success("solve", "laplace3d:9", "--deterministic", "--granularity", "tile", "--workers", 1,
                                "--out", out, "--quiet", *options)
            solutions.append(out.read_bytes())
            out.unlink()
        self.assertEqual(*solutions)

    def test_the_summary_names_them(self):
        out = self.expect_success("solve", *PROBLEM, "--coprocessors", 1).out
        self.assertIn("1 CPU worker and 1 coprocessor worker", out)
        self.assertRegex(out, r"offload +\d+\.\d % of the flops")
        out = self.expect_success("solve", *PROBLEM, "--coprocessors", 1, *ALL_ON_DEVICES, "--verbose").out
        count = int(re.search(r"(\d+) diagonal", out)[1])
        self.assertRegex(out, rf"offload .*: diagonal {count} of {count}, factor ")

    def test_device_memory_bounds_what_goes_there(self):
        """The number of tasks on the coprocessor grows with its memory, from none to all, and the answer is right."""
        there = []
        for room in (0, "20K", "1G"):
            report = self.report_of("solve", "laplace3d:9", "--workers", 1, "--granularity", "tile", "--repeat", 2,
                                    "--coprocessors", 1, *ALL_ON_DEVICES, "--device-memory", room)
            self.expect_accurate(report)
            there.append(sum(runs(report, "coprocessor").values()))
        self.assertEqual(there[0], 0)
        self.assertGreater(there[1], 0)
        self.assertGreater(there[2], there[1])
        self.assertEqual(there[2], sum(report["tasks"][kind] for kind in ("diagonal", "factor", "update")))

    def test_a_device_with_little_memory_still_does_most(self):
        """Tiles that no task needs any more are evicted. With 17 % of the memory, at least a third of the tasks stay on the device, and
        most of them on an idle machine."""
        for matrix, granularity in (("laplace3d:30", "tile"), ("laplace3d:9", "block")):
            with self.subTest(matrix=matrix):
                options = ["solve", matrix, "--workers", 1, "--granularity", granularity, "--repeat", 2,
                           "--coprocessors", 1, *ALL_ON_DEVICES]
                all_there = self.report_of(*options)
                room = int(0.17 * all_there["offload"]["bytes_to_device"])
                report = self.report_of(*options, "--device-memory", room)
                self.expect_accurate(report)
                there, most = (sum(runs(r, "coprocessor").values()) for r in (report, all_there))
                self.assertGreaterEqual(there, most / 3)

    def operations(self, report, phase, on_devices=None):
        """Returns counts and flops by operation, of devices, or of the host and devices together."""
        sums = {}
        for done in report["operations"]:
            if done["phase"] == phase and on_devices in (None, done["worker"] != "cpu"):
                count, flops = sums.get(done["operation"], (0, 0))
                sums[done["operation"]] = (count + done["count"], flops + done["flops"])
        return sums

    def test_operations_are_counted_where_they_are_done(self):
        there_too = self.with_instant_copies()
        for granularity in ("panel", "tile", "block"):
            with self.subTest(granularity=granularity):
                options = ["solve", "laplace3d:30" if granularity == "tile" else "laplace3d:12", "--workers", 1,
                           "--granularity", granularity, "--nrhs", 64]
                plain = self.report_of(*options)
                report = self.report_of(*options, "--coprocessors", 1, *ALL_ON_DEVICES, env=there_too)
                flops = sum(flops for _, flops in self.operations(report, "factor").values())
                kinds = sum(kind["flops"] for kind in report["kinds"] if kind["kind"] != "reduce")
                self.assertAlmostEqual(flops / kinds, 1, delta=1e-9)
                self.assertAlmostEqual(flops / report["symbolic"]["flops"], 1, delta=1e-3)
                there = self.operations(report, "factor", True)
                self.assertEqual(there["potrf"][0], report["tasks"]["diagonal"])
                self.assertEqual(there["trsm"][0], report["tasks"]["factor"])
                share = sum(flops for _, flops in there.values()) / flops
                self.assertAlmostEqual(share, report["offload"]["fraction"], delta=1e-6)
                counts = {name: done[0] for name, done in self.operations(plain, "factor").items()}
                self.assertEqual(set(counts), {"potrf", "trsm", "syrk", "gemm"})
                self.assertEqual(self.operations(plain, "factor", True), {})
                solve = self.operations(report, "solve")
                self.assertEqual(set(solve), {"trsm", "gemm"})
                for name, (_, flops) in self.operations(plain, "solve").items():
                    self.assertAlmostEqual(solve[name][1] / flops, 1, delta=1e-9)
                if granularity == "tile":
                    self.assertEqual(set(self.operations(report, "solve", True)), {"trsm", "gemm"})

    def test_the_summary_and_the_page_show_operations(self):
        page = self.folder / "page.html"
        report = self.folder / "report.json"
        out = self.expect_success("solve", *PROBLEM, "--coprocessors", 1, *ALL_ON_DEVICES, "--html", page, "--report",
                                  report, "--verbose").out
        self.assertRegex(out, r"operations +POTRF +TRSM +SYRK +GEMM")
        done = json.loads(report.read_text())["operations"]
        for side in ("cpu", "coprocessor"):
            counts = {entry["operation"]: entry["count"] for entry in done
                      if entry["phase"] == "factor" and entry["worker"] == side}
            row = " +".join(str(counts.get(name, 0)) for name in ("potrf", "trsm", "syrk", "gemm"))
            self.assertRegex(out, rf"factor on {side} +{row}\n")
        self.assertEqual(read_page(page.read_text()).classes["rect", "operation"], len(done))
        self.assertNotIn("POTRF", self.expect_success("solve", *PROBLEM).out)

    def test_a_full_device_fails_where_that_is_asked_for(self):
        options = [*PROBLEM, "--coprocessors", 1, *ALL_ON_DEVICES, "--on-device-full", "fail"]
        self.expect_failure(5, "solve", *options, "--device-memory", "50K", says=("device", "on_device_full"))
        self.expect_success("solve", *options, "--device-memory", "1G")
        self.expect_success("solve", *options)

    def test_options_of_devices_are_checked(self):
        self.expect_failure(2, "solve", *PROBLEM, "--sched", "fanout", "--device-memory", "-1", says="number of bytes")
        self.expect_failure(2, "solve", *PROBLEM, "--sched", "fanout", "--on-device-full", "maybe", says="cpu, fail")
        self.expect_failure(2, "solve", *PROBLEM, "--sched", "ktq", "--device-memory", "1G", says="fanout")
        self.expect_failure(2, "solve", *PROBLEM, "--coprocessors", 1, "--sched", "ktq", "--sched-option", "fuse=1",
                            says=("fuse", "devices"))

    def test_a_failed_pivot_on_a_coprocessor(self):
        for column in (1, M**2 // 2, M**2):
            matrix = self.write("a.mtx", symmetric(M**2, {**grid_entries(M), (column, column): -1.0}))
            with self.subTest(column=column):
                report = self.report_of("solve", matrix, "--coprocessors", 1, "--granularity", "block", "--workers", 1,
                                        *ALL_ON_DEVICES, code=4)
                self.assertEqual(report["not_positive_definite"]["column"], column)

    def test_errors_have_their_codes(self):
        self.expect_failure(3, "solve", "nosuch.mtx", "--coprocessors", 1, says="nosuch.mtx")
        self.expect_failure(6, "solve", "laplace2d:5", "--coprocessors", 1, "--sched", "nosuch", says="nosuch")
        self.expect_failure(2, "solve", "laplace2d:5", "--coprocessors", 99, says="coprocessors")

    def start(self, *arguments):
        started = subprocess.Popen([PROGRAM, "solve", "laplace3d:40", "--workers", "1", "--repeat", "100000",
                                    "--coprocessors", "2", *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(started.kill)
        return started

    def children(self, process):
        """Returns the processes of the program, the working one first and its coprocessors next, as soon as all have started."""
        def found():
            pids = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            return [int(pid) for pid in pids] if len(pids) == 3 else None
        return self.wait_for(found)

    def expect_end(self, process, code, children):
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, code, err)
        for pid in children:
            self.wait_for(lambda pid=pid: has_ended(pid))
        return err.decode()

    def test_the_loss_of_a_coprocessor_ends_the_run(self):
        path = self.folder / "report.json"
        for delay in (0, 1, 3):
            with self.subTest(delay=delay):
                started = self.start("--report", path)
                children = self.children(started)
                time.sleep(delay)
                os.kill(children[2], signal.SIGKILL)
                err = self.expect_end(started, 7, children)
                if delay == 0 and "StarPU did not start" in err:
                    continue  # The coprocessor died while connections were made, and the process that waited for it reported this first.
                # Before this line, StarPU may report its broken connection.
                self.assertRegex(err, r"(?m)^espalier: coprocessor 2 of 2 \(process \d+\) was ended by signal 9 [^\n]+\n\Z")
                self.assertEqual(err.count("espalier:"), 1)
                self.assertIn("coprocessor 2 of 2", path.read_text())

    def test_the_first_loss_is_told_whoever_notices_it_ends_before(self):
        started = self.start()
        children = self.children(started)
        time.sleep(1)
        os.kill(children[1], signal.SIGPIPE)
        os.kill(children[2], signal.SIGKILL)
        self.assertIn("coprocessor 2 of 2", self.expect_end(started, 7, children))

    def test_signals_end_all_processes(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                started = self.start()
                children = self.children(started)
                time.sleep(1)
                started.send_signal(number)
                self.assertEqual(self.expect_end(started, 128 + number, children), "espalier: interrupted\n")

    def test_runs_that_begin_together_measure_the_buses(self):
        for attempt in range(4):
            env = environment(XDG_CACHE_HOME=self.folder / str(attempt), STARPU_PERF_MODEL_DIR=None)
            started = []
            for count in (1, 1, 1, 2):
                started.append(subprocess.Popen([PROGRAM, "solve", "laplace2d:10", "--workers", "1", "--coprocessors",
                                                 str(count)], env=env, stdout=subprocess.PIPE))
                time.sleep(0.02 * attempt)
            for run in started:
                run.communicate(timeout=60)
                self.assertEqual(run.returncode, 0)
            names = [path.name for path in (self.folder / str(attempt)).rglob("*.config")]
            self.assertEqual(len(names), 2, names)

    def test_nobody_outlives_the_process_that_was_started(self):
        started = self.start()
        children = self.children(started)
        started.kill()
        started.communicate(timeout=20)
        for pid in children:
            self.wait_for(lambda pid=pid: has_ended(pid))


if __name__ == "__main__":
    skip_without_coprocessors()
    main()
