#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Placement and connection of ranks by launchers: cores of their workers, TCP, and identical bits."""
import json
import os
import shutil

from support.program import ProgramTest, main, skip
from support.ranks import MPIRUN, on_ranks

CORES = sorted(os.sched_getaffinity(0))


def threads_of(core):
    """Returns the hardware threads of a core, given one of them."""
    path = f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"
    with open(path) as file:
        parts = [part.split("-") for part in file.read().strip().split(",")]
    return {thread for part in parts for thread in range(int(part[0]), int(part[-1]) + 1)}


class PlacedRanks(ProgramTest):
    def solve(self, ranks, *arguments, **placement):
        out, report = self.folder / "x.mtx", self.folder / "report.json"
        done = on_ranks(ranks, "solve", *arguments, "--out", out, "--report", report, **placement)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_bytes(), json.loads(report.read_text())

    def cores_of(self, ranks, *options, before=(), workers=()):
        """Returns the cores of each rank's workers."""
        report = self.solve(ranks, "laplace2d:20", *workers, options=options, before=before)[1]
        for rank in report["ranks"]:
            self.assertLessEqual(set(rank["cores"]), set(CORES))
        return report["ranks"]

    def expect_apart(self, ranks):
        used = [core for rank in ranks for core in rank["cores"]]
        self.assertEqual(len(used), len(set(used)), ranks)

    def test_bound_to_nothing_ranks_share_the_cores(self):
        if len(CORES) < 2:
            self.skipTest("there is one core")
        ranks = self.cores_of(2, "--bind-to", "none")
        self.expect_apart(ranks)
        physical = len({min(threads_of(core)) for core in CORES})
        self.assertEqual(sum(rank["cpu_workers"] for rank in ranks), max(physical, 2))

    def test_bound_to_a_core_each_stays_there(self):
        if len({min(threads_of(core)) for core in CORES}) < 2:
            self.skipTest("there is one core")
        ranks = self.cores_of(2, "--bind-to", "core")
        self.expect_apart(ranks)
        self.assertEqual([rank["cpu_workers"] for rank in ranks], [1, 1])

    def test_all_on_the_core_that_the_launcher_is_bound_to(self):
        if shutil.which("taskset") is None:
            self.skipTest("there is no taskset")
        for core in CORES[0], CORES[-1]:
            ranks = self.cores_of(2, "--bind-to", "none", before=["taskset", "--cpu-list", str(core)])
            for rank in ranks:
                self.assertLessEqual(set(rank["cores"]), threads_of(core))
                self.assertEqual(rank["cpu_workers"], 1)

    def test_on_the_core_that_mpirun_is_given(self):
        for core in CORES[0], CORES[-1]:
            for rank in self.cores_of(2, "--cpu-set", str(core)):
                self.assertLessEqual(set(rank["cores"]), threads_of(core))

    def test_more_workers_than_cores_stay_among_them(self):
        ranks = self.cores_of(2, "--bind-to", "none", workers=["--workers", 3])
        self.assertEqual([rank["cpu_workers"] for rank in ranks], [3, 3])
        if len(CORES) > 1:
            self.expect_apart(ranks)

    def test_of_many_cores_one_is_for_messages(self):
        for cores, options, workers in ((12, [], 12), (16, [], 15), (16, ["--workers", 16], 16), (16, ["--workers", 4], 4)):
            with self.subTest(cores=cores, options=options):
                both = ["HWLOC_COMPONENTS=synthetic,stop", f"HWLOC_SYNTHETIC=core:{2 * cores} pu:1"]
                _, report = self.solve(2, "laplace2d:20", *options, options=["--bind-to", "none"], before=["env", *both])
                self.expect_accurate(report)
                self.assertEqual([rank["cpu_workers"] for rank in report["ranks"]], [workers] * 2)

    def test_over_tcp(self):
        x, report = self.solve(3, "laplace3d:10", "--workers", 1,
                               options=["--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self"])
        self.expect_accurate(report)
        self.assertGreater(report["distribution"]["messages"], 0)

    def test_the_same_bits_again_and_again(self):
        for ranks in 2, 3:
            first = None
            for workers in 1, 2, 1:
                x = self.solve(ranks, "irregular2d:1500", "--deterministic", "--workers", workers)[0]
                first = first or x
                self.assertEqual(x, first, f"{ranks} ranks, {workers} workers")


if __name__ == "__main__":
    if MPIRUN is None:
        skip("there is no mpirun")
    main()
