#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Updates divided between the host and coprocessors: right answers for every division, number of coprocessors and limit of their memory,
and a report with the plan and the result."""
import json
import os
import pathlib
import platform
import sys
import types
import unittest.mock

from support.charts import copies_in, crossing_copies
from support.coprocessors import runs, skip_without_coprocessors
from support.program import ALL_COMBINATIONS, ProgramTest, environment, main

DIVISIONS = ("mdwin", "mdwin:paper", "static0:0.5", "static1:0.5:8x8x4")
FRACTIONS_OF_FACTOR = (1, 0.5, 0.17, 0.05)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/bench"))


def times(factor, grid):
    """Returns the cost table of a kernel with all times multiplied by a factor."""
    return dict(grid, seconds_per_operation=[factor * s for s in grid["seconds_per_operation"]])


class Halo(ProgramTest):
    def solved(self, matrix, *options, coprocessors=1):
        report = self.report_of("solve", matrix, "--sched", "halo", "--workers", 1, "--coprocessors", coprocessors,
                                *options)
        self.expect_accurate(report)
        self.assertEqual(report["scheduler"]["active"], "halo")
        return report

    def factor_bytes(self, matrix):
        return self.report_of("solve", matrix, "--workers", 1)["memory"]["factor_bytes"]

    def expect_as_planned(self, report):
        offload = report["offload"]
        self.assertAlmostEqual(offload["fraction"], offload["planned_fraction"], delta=0.01)
        self.assertLessEqual(set(runs(report, "coprocessor")), {"update", "fill"})
        self.assertEqual("reduce" in runs(report, "cpu"), offload["fraction"] > 0)
        self.assertEqual(offload["bytes_to_host"] > 0, offload["fraction"] > 0)
        self.assertGreater(offload["bound_seconds"], 0)
        self.expect_times(report)

    def expect_times(self, report):
        """Expects the figures of HALO's Table III for one CPU worker and any number of coprocessor workers."""
        offload, seconds = report["offload"], report["factor"]["seconds"]
        idle = offload["host_idle_seconds"] + offload["device_idle_seconds"]
        self.assertAlmostEqual(offload["efficiency"], 1 - idle / (2 * seconds))
        busy = {worker: sum(kind["seconds"] for kind in report["kinds"] if kind["worker"] == worker)
                for worker in ("cpu", "coprocessor")}
        workers = report["machine"]["coprocessor_workers"]
        # The report omits the task that ends a factorization, and the operating system may delay its worker.
        unlisted = seconds - busy["cpu"] - offload["host_idle_seconds"]
        rounding = 1e-9
        self.assertTrue(-rounding <= unlisted < 0.5 * seconds, unlisted)
        self.assertAlmostEqual(offload["device_idle_seconds"], seconds - busy["coprocessor"] / workers, delta=1e-5)
        self.assertAlmostEqual(offload["busy_share"] * seconds * (1 + workers), sum(busy.values()) + unlisted, delta=1e-5)
        panels = sum(kind["seconds"] for kind in report["kinds"] if kind["kind"] in ("diagonal", "factor"))
        subtrees = sum(kind["seconds"] for kind in report["kinds"] if kind["kind"] == "subtree")
        self.assertGreaterEqual(offload["panel_seconds"], panels - 1e-12)
        self.assertLessEqual(offload["panel_seconds"], panels + subtrees + 1e-12)
        self.assertAlmostEqual(offload["panel_share"], offload["panel_seconds"] / seconds)
        if offload["costs"] == "analytic":  # the tables of these tests have copies that cost nothing
            self.assertEqual(offload["transfer_seconds"] > 0, offload["fraction"] > 0)

    def test_all_divisions_with_all_limits(self):
        all_cases = (("laplace3d:14", "block", FRACTIONS_OF_FACTOR, (1,)), ("laplace3d:14", "block", (1, 0.05), (2,)),
                     ("laplace3d:18", "tile", (1, 0.17), (1, 2)))
        few_cases = ("laplace3d:14", "block", (1, 0.05), (1,)), ("laplace3d:18", "tile", (1, 0.17), (2,))
        for matrix, granularity, shares, counts in all_cases if ALL_COMBINATIONS else few_cases:
            factor = self.factor_bytes(matrix)
            for count in counts:
                for division in DIVISIONS:
                    kept = []
                    for share in shares:
                        with self.subTest(matrix=matrix, coprocessors=count, division=division, share=share):
                            limit = int(share * factor)
                            report = self.solved(matrix, "--halo", division, "--device-memory", limit, "--repeat", 2,
                                                 "--granularity", granularity, coprocessors=count)
                            self.expect_as_planned(report)
                            self.assertLessEqual(report["offload"]["bytes_to_host"], count * limit)
                            kept.append(report["offload"]["kept"])
                            self.assertLessEqual(report["offload"]["bytes_to_host"],
                                                 count * report["offload"]["device_bytes"])
                            self.assertLess(report["offload"]["device_bytes"], limit + factor / 2)
                    self.assertGreater(kept[0], 0.9)
                    if granularity == "block" and not division.startswith("mdwin"):  # with tiles, few panels have shadows
                        self.assertLess(kept[-1], kept[0])

    def test_all_granularities(self):
        for granularity in ("panel", "tile", "block"):
            with self.subTest(granularity=granularity):
                report = self.solved("laplace3d:10", "--granularity", granularity, "--repeat", 3, "--halo",
                                     "static0:0.7")
                self.expect_as_planned(report)
                self.assertGreater(report["offload"]["fraction"], 0)

    def test_a_larger_share_offloads_more(self):
        fractions = [self.solved("laplace3d:14", "--granularity", "block", "--halo",
                                 f"static0:{share}")["offload"]["fraction"] for share in (0, 0.3, 0.6, 0.9)]
        self.assertEqual(fractions[0], 0)
        self.assertEqual(fractions, sorted(set(fractions)))

    def expect_division_by_equations(self, costs, place, env):
        """mdwin:paper uses separate predictions for GEMM and SCATTER. The faster the device is in both, the more work it gets. The speed
        of the host depends on the other load of this machine."""
        fractions = []
        for factor in (100, 1, 0.5, 0.2, 0.1, 0.01):
            changed = {kernel: times(factor, costs[kernel]) for kernel in ("gemm_alone", "scatter")}
            place.write_text(json.dumps({**costs, **changed}))
            report = self.report_of("solve", "laplace3d:14", "--sched", "halo", "--workers", 1, "--coprocessors", 1,
                                    "--granularity", "block", "--halo", "mdwin:paper", env=env)
            self.expect_as_planned(report)
            # Workers sum flops in the order of their tasks, so that equal fractions may differ in the last bit.
            fractions.append(round(report["offload"]["fraction"], 12))
        self.assertEqual(fractions, sorted(fractions))
        self.assertGreater(len(set(fractions)), 2)

    def test_larger_cut_offs_offload_less(self):
        """In small problems no product reaches the paper's cut-offs, which are the default."""
        fractions = [self.solved("laplace3d:14", "--granularity", "block", "--sched-option",
                                 f"halo=static1:0.5{cut_offs}")["offload"]["fraction"]
                     for cut_offs in ("", ":64x64x16", ":0x0x0")]
        self.assertEqual(fractions[0], 0)
        self.assertEqual(fractions, sorted(set(fractions)))

    def test_the_host_alone_where_bits_must_not_change(self):
        report = self.solved("laplace3d:10", "--granularity", "tile", "--deterministic")
        self.assertEqual(report["offload"]["fraction"], 0)

    def test_several_threads_share_a_memory(self):
        report = self.solved("laplace3d:14", "--granularity", "tile", "--coprocessor-threads", 2, "--halo",
                             "static0:0.7")
        self.expect_as_planned(report)
        self.assertGreater(report["offload"]["fraction"], 0)

    def copies_of_a_large_run(self):
        """Returns the report of a run with large copies in both directions, and the events of its trace."""
        with unittest.mock.patch.dict(os.environ, STARPU_DISABLE_ASYNCHRONOUS_TCPIP_MS_COPY="0"):
            report = self.solved("laplace3d:40", "--granularity", "panel", "--halo", "static0:0.9", "--repeat", 5, "--trace",
                                 self.folder)
        return report, json.loads((self.folder / "trace.json").read_text())["traceEvents"]

    def test_large_copies_each_way_do_not_block_each_other(self):
        """Shadows return to the host while panels go to the device. Both are larger than the buffer of a socket. On a busy machine the few
        copies of one run may not overlap, so up to ten runs are tried."""
        for _ in range(10):
            report, events = self.copies_of_a_large_run()
            if crossing_copies(events, 2**20) > 0:
                break
        else:
            self.fail("no two copies crossed")
        offload = report["offload"]
        self.assertGreater(min(offload["bytes_to_host"], offload["bytes_to_device"]), 2**24)
        copies = copies_in(events)
        for bytes_copied, device in (("bytes_to_device", 1), ("bytes_to_host", 0)):
            self.assertEqual(sum(copy["bytes"] for copy in copies if copy["to"] == device), offload[bytes_copied])
        svg = (self.folder / "gantt.svg").read_text()
        self.assertEqual(svg.count('class="copy"'), len(copies))
        self.assertIn(">from device 1<", svg)

    def test_the_summary_says_what_was_planned(self):
        out = self.expect_success("solve", "laplace3d:14", "--sched", "halo", "--workers", 1, "--coprocessors", 1,
                                  "--granularity", "tile", "--halo", "static0:0.7", "--verbose").out
        self.assertRegex(out, r"\d+\.\d % planned, which is 100 % of the plan for unlimited memory")
        self.assertRegex(out, r"efficiency \d+\.\d %: the host is idle for .* \(\d+\.\d %\), devices for .* \(\d+\.\d %\)")
        self.assertRegex(out, r"panels take the host .* \(\d+\.\d %\), copies .* \(\d+\.\d %, estimated\)")

    def test_the_summary_says_that_devices_are_not_calibrated(self):
        out = self.expect_success("solve", "laplace3d:18", "--sched", "halo", "--workers", 1, "--coprocessors", 1,
                                  env=environment(XDG_DATA_HOME=self.folder)).out
        self.assertRegex(out, r"the plan (uses|leaves out) devices by built-in estimates; to measure them, run "
                              r"'espalier calibrate --workers 1 --coprocessors N'")

    def test_mdwin_offloads_what_pays_by_calibrated_costs(self):
        env = environment(XDG_DATA_HOME=self.folder)
        table = self.folder / "table.json"
        self.expect_success("calibrate", "--workers", 1, "--coprocessors", 1, "--quick", "--quiet", "--out", table,
                            env=env, timeout=100)
        costs = json.loads(table.read_text())
        self.assertEqual(costs["architecture"], "coprocessor")
        self.assertGreater(costs["task_seconds"], 0)
        self.assertEqual(costs["gemm_alone"]["classes"], costs["gemm"]["classes"])
        self.assertEqual(costs["scatter"]["classes"], [*costs["gemm"]["classes"][:2], 1])
        self.assertLessEqual({"diagonal", "factor", "update", "assemble"}, {kind for kind, *_ in costs["tasks"]})
        place = self.folder / "espalier" / f"costs-coprocessor-{platform.node()}.json"
        place.parent.mkdir()
        way = {"latency_seconds": 0, "byte_seconds": 0}
        fast = dict(costs, task_seconds=0, overlaps=True, to=way, back=way)
        for kernel in ("syrk", "gemm"):  # compensate for the slowness of sanitizers
            fast[kernel] = times(0.01, costs[kernel])
        slow = dict(costs, task_seconds=1)
        for table, offloads in ((fast, True), (slow, False)):
            place.write_text(json.dumps(table))
            report = self.report_of("solve", "laplace3d:18", "--sched", "halo", "--workers", 1, "--coprocessors", 1,
                                    env=env)
            self.expect_accurate(report)
            self.expect_as_planned(report)
            self.assertEqual(report["offload"]["costs"], "calibrated")
            self.assertEqual(report["offload"]["fraction"] > 0, offloads)
        self.expect_division_by_equations(dict(costs, task_seconds=0, to=way, back=way), place, env)
        place.write_text("{")
        report = self.report_of("solve", "laplace3d:18", "--sched", "halo", "--workers", 1, "--coprocessors", 1, env=env)
        self.expect_accurate(report)
        self.assertEqual(report["offload"]["costs"], "analytic")
        self.assertIn(str(place), report["warnings"][0])

    def test_table_iii_has_the_columns_of_the_paper(self):
        """Two rows of the paper: t_omp, t_mic, the share of panels, both speed-ups, idle times, copies, efficiency."""
        import offload
        for row in ((41.9, 28.3, 4.3, 1.5, 1.5, 6.12, 32.4, 9.7, 80.7), (4.2, 4.5, 35.2, 0.9, 0.9, 7.9, 72.6, 4.8, 59.7)):
            t_omp, t_mic, panels, _, _, host, device, copies, _ = row
            offloaded = {"panel_seconds": panels / 100 * t_omp, "host_idle_seconds": host / 100 * t_mic,
                         "device_idle_seconds": device / 100 * t_mic, "transfer_seconds": copies / 100 * t_mic,
                         "efficiency": 1 - (host + device) / 200}
            samples = {offload.HOST: [types.SimpleNamespace(fastest=t_omp), types.SimpleNamespace(fastest=2 * t_omp)],
                       "mdwin": [types.SimpleNamespace(fastest=t_mic, offload=offloaded)]}
            for printed, expected in zip(offload.table_iii(samples), row, strict=True):
                self.assertAlmostEqual(printed, expected, delta=0.06)

    def test_wrong_divisions_are_refused(self):
        for division in ("mdwin:0.5", "mdwin:", "mdwin:papers", "static0", "static0:", "static0:1.5", "static1:0.5:64x64",
                         "static2:0.5", "0.5"):
            with self.subTest(division=division):
                self.expect_failure(2, "solve", "laplace2d:5", "--coprocessors", 1, "--sched", "halo", "--halo",
                                    division, says=[f"halo: '{division}' is not", "mdwin, mdwin:paper, static0:SHARE or static1:SHARE[:MxNxK]"])


if __name__ == "__main__":
    skip_without_coprocessors()
    main()
