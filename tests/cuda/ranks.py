#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks with CUDA devices, on the stand-in."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.coprocessors import write_costs  # noqa: E402
from support.devices import ALL_ON_DEVICES, DeviceTest, read_stand_in_reports, with_stand_in  # noqa: E402
from support.program import main  # noqa: E402
from support.ranks import MPIRUN, on_ranks  # noqa: E402

RANK_TESTS = os.environ["ESPALIER_RANK_TESTS"]


class Ranks(DeviceTest):
    def solve_on_two_ranks(self, *options, **variables):
        path = self.folder / "report.json"
        done = on_ranks(2, "solve", "laplace3d:12", "--workers", 1, "--cuda-devices", 1, "--granularity", "tile", *options,
                        "--report", path, variables=with_stand_in(2, **variables))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(path.read_text())
        self.expect_accurate(report)
        for key in ("messages", "bytes"):
            self.assertEqual(report["distribution"][key], sum(rank[key] for rank in report["ranks"]))
        device = {key: sum(rank[f"device_{key}"] for rank in report["ranks"])
                  for key in ("messages_sent", "bytes_sent", "messages_received", "bytes_received")}
        self.assertEqual("sent directly from devices" in done.stdout, device["messages_sent"] > 0)
        return report, device

    def test_signs(self):
        """Devices run all F of L J L^T on two ranks. The CPUs run D."""
        for granularity, mpi in (("tile", 0), ("block", 1)):
            with self.subTest(granularity=granularity, mpi=mpi):
                path = self.folder / "report.json"
                done = on_ranks(2, "solve", "stokes2d:12", "--factorization", "ldlt", "--workers", 1, "--cuda-devices", 1, "--granularity",
                                granularity, "--panel-width", 16, *ALL_ON_DEVICES, "--report", path,
                                variables=with_stand_in(2, STAND_IN_MPI=mpi))
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(path.read_text())
                self.expect_accurate(report)
                self.assertEqual(report["factor"]["inertia"], {"positive": 264, "negative": 143, "zero": 0, "status": "exact"})
                there = {kind["kind"]: kind["count"] for kind in report["kinds"] if kind["worker"] == "cuda"}
                self.assertEqual(there["factor"], report["tasks"]["factor"])
                self.assertNotIn("diagonal", there)

    def test_ranks_have_devices_in_turn(self):
        for devices in (1, 2, 3, 6):
            with self.subTest(devices=devices):
                path = self.folder / "report.json"
                done = on_ranks(2, "solve", "laplace3d:12", "--workers", 1, "--cuda-devices", 2, "--granularity", "tile",
                                *ALL_ON_DEVICES, "--report", path, variables=with_stand_in(devices))
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(path.read_text())
                self.expect_accurate(report)
                self.assertEqual(report["machine"]["cuda_devices"], 2 * min(devices, 2))
                there = {kind["kind"]: kind["count"] for kind in report["kinds"] if kind["worker"] == "cuda"}
                for kind in ("diagonal", "factor"):
                    self.assertEqual(there[kind], report["tasks"][kind], kind)

    def test_what_ranks_receive_for_their_devices_is_pinned(self):
        done = on_ranks(2, "solve", "laplace3d:20", "--workers", 1, "--cuda-devices", 1, "--granularity", "tile", *ALL_ON_DEVICES,
                        variables=with_stand_in(2, STAND_IN_PAGEABLE=8))
        self.assertEqual(done.returncode, 0, done.stderr)

    def solve_with_reports(self, devices, **variables):
        """Returns the report of two ranks, and the devices on which each had a context, by the machine's numbers. An earlier run makes
        StarPU measure the buses, which needs contexts on all devices."""
        path, counts = self.folder / "report.json", self.folder / "counts"
        counts.mkdir()
        for matrix, folder in (("laplace2d:3", None), ("laplace3d:12", counts)):
            done = on_ranks(2, "solve", matrix, "--workers", 1, "--cuda-devices", 1, "--granularity", "tile", *ALL_ON_DEVICES,
                            "--report", path, variables=with_stand_in(devices, STAND_IN_REPORT=folder, **variables))
            self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(path.read_text())
        self.expect_accurate(report)
        contexts = sorted(count["contexts"] for count in read_stand_in_reports(counts))
        shutil.rmtree(counts)
        return report, contexts

    def test_ranks_have_contexts_on_their_own_devices_alone(self):
        """A context takes memory even if nothing runs in it."""
        report, contexts = self.solve_with_reports(2)
        self.assertEqual(report["machine"]["cuda_devices"], 2)
        self.assertEqual(contexts, [[0], [1]])

    def test_ranks_that_see_devices_of_their_own(self):
        """Ranks see different devices under the same number, or the same devices under different numbers, or no device."""
        for visible, workers, expected in (("4;5", 2, [[4], [5]]), ("1,0;0,1", 2, [[0], [1]]), (";3", 1, [[3]])):
            with self.subTest(visible=visible):
                report, contexts = self.solve_with_reports(6, STAND_IN_VISIBLE=visible)
                self.assertEqual(report["machine"]["cuda_devices"], workers)
                self.assertEqual(contexts, expected)

    def test_messages_between_devices(self):
        for mpi in (0, 1):
            with self.subTest(mpi=mpi):
                command = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2", RANK_TESTS,
                           "--gtest_filter=Device*"]
                done = subprocess.run(command, env=with_stand_in(2, STAND_IN_MPI=mpi), capture_output=True, text=True, timeout=100)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("SKIPPED", done.stdout)

    def test_a_factorization_that_sends_from_device_to_device(self):
        plain, none = self.solve_on_two_ranks(*ALL_ON_DEVICES)
        self.assertEqual(set(none.values()), {0})
        switched_off, none = self.solve_on_two_ranks(*ALL_ON_DEVICES, STAND_IN_MPI=1, STARPU_MPI_GPUDIRECT=0)
        self.assertEqual(set(none.values()), {0})
        direct, device = self.solve_on_two_ranks(*ALL_ON_DEVICES, STAND_IN_MPI=1)
        for key in ("messages", "bytes"):
            self.assertEqual(direct["distribution"][key], plain["distribution"][key])
            self.assertGreater(device[f"{key}_sent"], 0)
            self.assertGreater(device[f"{key}_received"], 0)
            self.assertLessEqual(device[f"{key}_sent"], direct["distribution"][key])
        # Data that arrive on a device need no copy to it.
        self.assertLess(direct["offload"]["bytes_to_device"], plain["offload"]["bytes_to_device"])
        _, none = self.solve_on_two_ranks("--sched", "fanout", STAND_IN_MPI=1)
        self.assertEqual(set(none.values()), {0}, "tiles are too small for devices")

    def test_solving_by_what_copies_were_measured_to_take(self):
        for byte_seconds in (1e-12, 1):
            write_costs(self.folder, architecture="cuda", to={"latency_seconds": 0, "byte_seconds": byte_seconds})
            self.expect_solved_on_devices(byte_seconds < 1, XDG_DATA_HOME=self.folder)
            for mpi in (0, 1):
                report, _ = self.solve_on_two_ranks("--nrhs", 64, *ALL_ON_DEVICES, STAND_IN_MPI=mpi, XDG_DATA_HOME=self.folder)
                self.assertEqual(report["solve"]["offloaded"] > 0.1, byte_seconds < 1)


if __name__ == "__main__":
    main()
