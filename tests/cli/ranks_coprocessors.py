# SPDX-License-Identifier: BSD-3-Clause
"""Ranks with a coprocessor each: right answers, and all processes end together."""
import json
import os
import re
import signal
import subprocess
import time

from support.coprocessors import ALL_ON_DEVICES, runs, skip_without_coprocessors, write_costs
from support.matrices import grid_entries, symmetric
from support.processes import has_ended
from support.program import ALL_COMBINATIONS, PROGRAM, ProgramTest, main, skip
from support.ranks import MPIRUN, on_ranks, rank_environment

MANY_VECTORS = ["--nrhs", 64, "--sched", "fanout"]
SOLVE_ON_DEVICES = [word for kernel in ("trsm", "gemm")
                    for word in ("--sched-option", f"threshold_solve_{kernel}=0")]


class RanksWithCoprocessors(ProgramTest):
    def solve(self, ranks, matrix, *options, code=0, coprocessors=1, variables=None):
        path = self.folder / "report.json"
        run = on_ranks(ranks, "solve", matrix, "--workers", 1, "--coprocessors", coprocessors, "--report", path, *options,
                       variables=variables)
        self.assertEqual(run.returncode, code, run.stderr)
        return json.loads(path.read_text())

    def test_solve(self):
        for scheduler in (ALL_ON_DEVICES, []):
            for granularity in ("panel", "tile"):
                with self.subTest(scheduler=scheduler, granularity=granularity):
                    report = self.solve(2, "laplace3d:12", "--granularity", granularity, "--repeat", 2, *scheduler)
                    self.expect_accurate(report)
                    self.assertEqual(report["machine"]["ranks"], 2)
                    self.assertEqual(report["machine"]["coprocessor_workers"], 2)
                    there = runs(report, "coprocessor")
                    if scheduler:
                        for kind in ("diagonal", "factor"):
                            self.assertEqual(there.get(kind, 0), report["tasks"][kind], kind)
                        self.assertGreater(there["update"], 0)
                    self.assertAlmostEqual(sum(done["flops"] for done in report["operations"] if done["phase"] == "factor") /
                                           sum(kind["flops"] for kind in report["kinds"] if kind["kind"] != "reduce"),
                                           1, delta=1e-9)
                    potrf = sum(done["count"] for done in report["operations"]
                                if done["operation"] == "potrf" and done["worker"] == "coprocessor")
                    self.assertEqual(potrf, there.get("diagonal", 0))
                    self.assertEqual(sum(kind["count"] for kind in report["kinds"]), sum(report["tasks"][kind] for kind in (
                        "diagonal", "factor", "update", "subtree", "assemble", "reduce", "fill")))

    def test_one_worker_of_several_threads_a_rank(self):
        report = self.solve(2, "laplace3d:20", "--coprocessor-threads", 2, "--coprocessor-workers", "one",
                            *ALL_ON_DEVICES)
        self.expect_accurate(report)
        self.assertEqual(report["machine"]["coprocessor_workers"], 2)
        self.assertEqual(report["machine"]["coprocessor_threads"], 4)
        self.assertGreater(report["offload"]["fraction"], 0.1)

    def test_a_part_of_the_solve_is_done_there(self):
        """Devices solve the parts for which copies are predicted to be faster than a CPU with the same data. The tables are made up, so
        that the load of this machine does not matter."""
        variables = rank_environment(XDG_DATA_HOME=self.folder)
        for byte_seconds in (1, 1e-12):
            write_costs(self.folder, to={"latency_seconds": 0, "byte_seconds": byte_seconds})
            report = self.solve(2, "laplace3d:12", *MANY_VECTORS, *SOLVE_ON_DEVICES, variables=variables)
            self.assertEqual(report["solve"]["offloaded"] > 0, byte_seconds < 1)
        for matrix, granularity, mapping in (("laplace3d:20", "tile", "proportional"), ("laplace3d:12", "block", "block-cyclic")):
            self.report_of("solve", matrix, *MANY_VECTORS, "--out", self.folder / "a.mtx")
            for ranks in (2, 3, 4) if ALL_COMBINATIONS else (2,) if granularity == "tile" else (4,):
                with self.subTest(granularity=granularity, ranks=ranks):
                    report = self.solve(ranks, matrix, *MANY_VECTORS, *SOLVE_ON_DEVICES, "--granularity", granularity,
                                        "--mapping", mapping, "--out", self.folder / "x.mtx", variables=variables)
                    self.expect_accurate(report)
                    self.expect_same(self.folder / "x.mtx", self.folder / "a.mtx")
                    self.expect_solve_there(report)

    def expect_solve_there(self, report):
        done = [done for done in report["operations"] if done["phase"] == "solve"]
        there = {one["operation"]: one["flops"] for one in done if one["worker"] == "coprocessor"}
        self.assertEqual(set(there), {"trsm", "gemm"})
        # A multiplication and an addition per entry of L in both directions, but no addition on the diagonal.
        each = 4 * report["symbolic"]["nnz_l"] - 2 * report["matrix"]["n"]
        self.assertEqual(sum(one["flops"] for one in done),
                         report["solve"]["nrhs"] * (1 + report["solve"]["refinement_steps"]) * each)
        self.assertGreater(report["solve"]["offloaded"], 0.1)

    def expect_halo(self, report):
        """Expects that the coprocessors of each rank run exactly the planned updates, and that the totals are the sums over ranks."""
        self.expect_accurate(report)
        self.assertEqual(report["scheduler"]["active"], "halo")
        parts = [rank["offload"] for rank in report["ranks"]]
        for offload in [*parts, report["offload"]]:
            self.assertAlmostEqual(offload["fraction"], offload["planned_fraction"], delta=0.01)
            self.assertEqual(offload["bytes_to_host"] > 0, offload["fraction"] > 0)
        for way in ("bytes_to_device", "bytes_to_host"):
            self.assertEqual(report["offload"][way], sum(offload[way] for offload in parts))
        there = runs(report, "coprocessor").keys()
        self.assertLessEqual(there, {"update", "fill"})
        self.assertEqual("update" in there, report["offload"]["fraction"] > 0)

    def test_halo(self):
        matrix = "laplace3d:14"
        for granularity, mapping in (("tile", "proportional"), ("block", "block-cyclic")):
            plain = self.solve(2, matrix, "--granularity", granularity, "--mapping", mapping, "--out", self.folder / "a.mtx")
            factor = plain["memory"]["factor_bytes"]
            divisions = ("mdwin", 1), ("static0:0.5", 1), ("static1:0.5:8x8x4", 0.17), ("static0:0.9", 0.05)
            for division, share in divisions if ALL_COMBINATIONS else divisions[granularity == "tile"::2]:
                with self.subTest(granularity=granularity, division=division, share=share):
                    limit = int(share * factor)
                    report = self.solve(2, matrix, "--sched", "halo", "--halo", division, "--device-memory", limit,
                                        "--granularity", granularity, "--mapping", mapping, "--repeat", 2,
                                        "--out", self.folder / "x.mtx")
                    self.expect_halo(report)
                    self.expect_same(self.folder / "x.mtx", self.folder / "a.mtx")
                    for key in ("messages", "bytes"):
                        self.assertEqual(report["distribution"][key], plain["distribution"][key])
                    self.assertTrue(all(rank["offload"]["bytes_to_host"] <= limit for rank in report["ranks"]))
                    if division != "mdwin":
                        self.assertTrue(all(rank["offload"]["fraction"] > 0 for rank in report["ranks"]))

    def test_mdwin_leaves_all_to_the_host_where_that_is_done_sooner(self):
        """Each rank compares its devices with its host, as a single rank does. In the second case a shadow takes a second to
        return."""
        variables = rank_environment(XDG_DATA_HOME=self.folder)
        for latency, offloads in ((0, True), (1, False)):
            write_costs(self.folder, 1e-12, overlaps=True, back={"latency_seconds": latency, "byte_seconds": 0})
            report = self.solve(2, "laplace3d:18", "--sched", "halo", variables=variables)
            self.expect_halo(report)
            self.assertEqual([rank["offload"]["fraction"] > 0 for rank in report["ranks"]], [offloads] * 2)
            self.assertEqual(report["offload"]["costs"], "calibrated")

    def test_halo_with_several_coprocessors_a_rank(self):
        report = self.solve(2, "laplace3d:14", "--sched", "halo", "--halo", "static0:0.7", "--granularity", "block",
                            coprocessors=2)
        self.expect_halo(report)
        self.assertEqual(report["machine"]["coprocessor_workers"], 4)
        self.assertGreater(report["offload"]["fraction"], 0.1)

    def expect_same(self, one, other):
        a, b = ([float(line) for line in path.read_text().splitlines()[2:]] for path in (one, other))
        self.assertEqual(len(a), len(b))
        self.assertLess(max(abs(x - y) for x, y in zip(a, b)), 1e-10)

    def test_a_failed_pivot(self):
        m = 14
        for column in (1, m**2 // 2, m**2):
            matrix = self.write("a.mtx", symmetric(m**2, {**grid_entries(m), (column, column): -1.0}))
            with self.subTest(column=column):
                report = self.solve(2, matrix, "--granularity", "block", *ALL_ON_DEVICES, code=4)
                self.assertEqual(report["not_positive_definite"]["column"], column)

    def test_the_loss_of_a_coprocessor_ends_all_ranks(self):
        path = self.folder / "report.json"
        command = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2", PROGRAM, "solve",
                   "laplace3d:30", "--workers", "1", "--coprocessors", "1", "--sched", "halo", "--repeat", "100000",
                   "--report", path]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=rank_environment())
        self.addCleanup(process.kill)
        family = self.family(process.pid)
        time.sleep(2)
        os.kill(family["coprocessor"][1], signal.SIGKILL)
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 7, err)
        # Another rank may also report this one as missing, if StarPU ended it before its own message.
        said = re.findall(r"^espalier: on rank [01]: coprocessor 1 of 1 \(process \d+\) was ended by signal 9", err, re.M)
        self.assertEqual(len(said), 1, err)
        report = json.loads(path.read_text())
        self.assertEqual(report["status"], "error")
        self.assertIn("coprocessor 1 of 1", report["message"])
        for pid in [pid for pids in family.values() for pid in pids]:
            self.wait_for(lambda pid=pid: has_ended(pid))

    def family(self, mpirun):
        """Returns the processes of both ranks by role: children of mpirun, and their children."""
        def children(pid):
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                return [int(child) for child in file.read().split()]

        def found():
            started = children(mpirun)
            own = [children(pid) for pid in started]
            if [len(pids) for pids in own] != [2, 2]:
                return None
            return {"started": started, "worker": [pids[0] for pids in own], "coprocessor": [pids[1] for pids in own]}
        return self.wait_for(found)


if __name__ == "__main__":
    if MPIRUN is None:
        skip("no mpirun")
    skip_without_coprocessors()
    main()
