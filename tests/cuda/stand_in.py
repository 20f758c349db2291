#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Everything that needs a CUDA device, on the stand-in for one: LD_PRELOAD puts functions of this machine in the place
of CUDA's. They run the kernels' code, each stream in a thread of its own, so that all but the device itself is tested."""
import csv
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.program import PROGRAM, ProgramTest, environment, espalier, main  # noqa: E402
from support.ranks import MPIRUN, on_ranks  # noqa: E402

CUDA_TESTS = os.environ["ESPALIER_CUDA_TESTS"]
RANK_TESTS = os.environ["ESPALIER_RANK_TESTS"]
ALL_ON_DEVICES = ["--sched", "fanout"] + [word for kernel in ("potrf", "trsm", "syrk", "gemm")
                                          for word in ("--sched-option", f"threshold_{kernel}=0")]


def with_device(devices=1, **changes):
    return environment(LD_PRELOAD=os.environ["ESPALIER_STAND_IN"], STAND_IN_DEVICES=devices, **changes)


class StandIn(ProgramTest):
    def run_all(self, *command):
        done = subprocess.run([str(word) for word in command], env=with_device(), capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def solve(self, *arguments, **env):
        report = self.report_of("solve", "laplace3d:14", "--workers", 1, "--granularity", "tile", "--repeat", 3, *arguments,
                                env=with_device(**env))
        self.expect_accurate(report)
        return report

    def test_tasks(self):
        self.assertNotIn("SKIPPED", self.run_all(CUDA_TESTS))

    def test_program(self):
        """Of its tests, one is for builds without CUDA, and one for machines without a device."""
        self.assertIn("(skipped=2)", self.run_all(sys.executable, ROOT / "tests" / "cli" / "cuda.py"))

    def test_solving_by_what_copies_were_measured_to_take(self):
        self.expect_success("calibrate", "--workers", 1, "--cuda-devices", 1, "--quick", "--quiet",
                            env=with_device(XDG_DATA_HOME=self.folder))
        place = self.folder / "espalier" / f"costs-cuda-{platform.node()}.json"
        costs = json.loads(place.read_text())
        for byte_seconds in (1e-12, 1):
            costs["to"]["byte_seconds"] = byte_seconds
            place.write_text(json.dumps(costs))
            self.expect_solved_on_devices(byte_seconds < 1, XDG_DATA_HOME=self.folder)
            for mpi in (0, 1):
                report, _ = self.solve_on_two_ranks("--nrhs", 64, *ALL_ON_DEVICES, STAND_IN_MPI=mpi, XDG_DATA_HOME=self.folder)
                self.assertEqual(report["solve"]["offloaded"] > 0.1, byte_seconds < 1)

    def test_solving_by_what_starpu_measured_of_the_bus(self):
        self.solved_on_devices(STARPU_HOME=self.folder)
        measured, = self.folder.glob(".starpu/sampling/bus/*.bandwidth")
        text = measured.read_text()
        for megabytes_a_second in (1e6, 1):
            measured.write_text(re.sub(r"\b[1-9]\.\d+e[+-]\d+", f"{megabytes_a_second:e}", text))
            self.expect_solved_on_devices(megabytes_a_second > 1, STARPU_HOME=self.folder)

    def expect_solved_on_devices(self, there, **env):
        share = self.solved_on_devices(**env)
        if there:
            self.assertGreater(share, 0.1)
        else:
            self.assertEqual(share, 0)

    def solved_on_devices(self, **env):
        report = self.report_of("solve", "laplace3d:30", "--workers", 1, "--nrhs", 64, "--cuda-devices", 1,
                                *ALL_ON_DEVICES, env=with_device(**env))
        self.expect_accurate(report)
        return report["solve"]["offloaded"]

    def test_the_benchmark(self):
        self.run_all(sys.executable, ROOT / "tools" / "gpu" / "benchmark.py", PROGRAM, self.folder, 60, "laplace3d:14")
        with open(self.folder / "benchmark.csv", encoding="utf-8") as table:
            lines = [(line["policy"], line["workers"][-6:]) for line in csv.DictReader(table)]
        self.assertEqual(len(lines), 11)
        self.assertEqual(set(lines), {(policy, workers) for policy in ("espalier", "fanout", "halo", "ktq", "dmdas", "lws")
                                      for workers in ("0 CUDA", "1 CUDA")} - {("halo", "0 CUDA")})

    def test_two_devices(self):
        report = self.solve("--cuda-devices", 2, "--sched", "eager", devices=2)
        self.assertEqual(report["machine"]["cuda_workers"], 2)

    def test_several_workers_of_a_device(self):
        report = self.solve("--cuda-devices", 1, *ALL_ON_DEVICES, STARPU_NWORKER_PER_CUDA=3)
        self.assertEqual(report["machine"]["cuda_workers"], 3)

    def test_tasks_one_after_another(self):
        self.solve("--cuda-devices", 1, *ALL_ON_DEVICES, STARPU_CUDA_PIPELINE=0)

    def test_little_memory_of_the_device(self):
        # Half of the factor of this problem. StarPU's own allocator would take 32 MiB at a time.
        report = self.report_of("solve", "laplace3d:24", "--workers", 1, "--granularity", "tile", "--cuda-devices", 1,
                                *ALL_ON_DEVICES, env=with_device(STARPU_LIMIT_CUDA_MEM=8, STARPU_SUBALLOCATOR=0))
        self.expect_accurate(report)
        self.assertGreater(report["offload"]["fraction"], 0.2)

    def test_halo(self):
        report = self.solve("--cuda-devices", 1, "--sched", "halo", "--sched-option", "halo=static0:0.5")
        there = {kind["kind"]: kind["count"] for kind in report["kinds"] if kind["worker"] == "cuda"}
        self.assertGreater(there["fill"], 0)
        self.assertGreater(there["update"], 0)

    def test_small_updates_are_one_call(self):
        options = ["laplace2d:100", "--granularity", "panel", "--cuda-devices", 1, "--sched", "halo",
                   "--sched-option", "halo=static0:0.7"]
        self.expect_accurate(self.report_of("solve", *options, env=with_device()))
        self.expect_failure(7, "solve", *options, says="multiplying several matrices",
                            env=with_device(STAND_IN_FAILS="cublasDgemmGroupedBatched:0"))

    def test_ranks_have_devices_in_turn(self):
        for devices in (1, 2, 3):
            with self.subTest(devices=devices):
                path = self.folder / "report.json"
                done = on_ranks(2, "solve", "laplace3d:12", "--workers", 1, "--cuda-devices", 2, "--granularity", "tile",
                                *ALL_ON_DEVICES, "--report", path, variables=with_device(devices))
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(path.read_text())
                self.expect_accurate(report)
                self.assertEqual(report["machine"]["cuda_workers"], 2 * min(devices, 2))
                there = {kind["kind"]: kind["count"] for kind in report["kinds"] if kind["worker"] == "cuda"}
                for kind in ("diagonal", "factor"):
                    self.assertEqual(there[kind], report["tasks"][kind], kind)

    def test_messages_between_devices(self):
        for mpi in (0, 1):
            with self.subTest(mpi=mpi):
                command = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2", RANK_TESTS,
                           "--gtest_filter=Device*"]
                done = subprocess.run(command, env=with_device(2, STAND_IN_MPI=mpi), capture_output=True, text=True, timeout=100)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("SKIPPED", done.stdout)

    def solve_on_two_ranks(self, *options, **variables):
        path = self.folder / "report.json"
        done = on_ranks(2, "solve", "laplace3d:12", "--workers", 1, "--cuda-devices", 1, "--granularity", "tile", *options,
                        "--report", path, variables=with_device(2, **variables))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(path.read_text())
        self.expect_accurate(report)
        for key in ("messages", "bytes"):
            self.assertEqual(report["distribution"][key], sum(rank[key] for rank in report["ranks"]))
        device = {key: sum(rank[f"device_{key}"] for rank in report["ranks"])
                  for key in ("messages_sent", "bytes_sent", "messages_received", "bytes_received")}
        self.assertEqual("without the host" in done.stdout, device["messages_sent"] > 0)
        return report, device

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
        # What arrives on a device is not copied to it.
        self.assertLess(direct["offload"]["bytes_to_device"], plain["offload"]["bytes_to_device"])
        _, none = self.solve_on_two_ranks("--sched", "fanout", STAND_IN_MPI=1)
        self.assertEqual(set(none.values()), {0}, "tiles are too small for devices")

    def test_a_device_that_fails_in_a_task(self):
        path = self.folder / "report.json"
        options = ["laplace3d:14", "--granularity", "tile", "--cuda-devices", 1, *ALL_ON_DEVICES]
        self.expect_failure(7, "solve", *options, env=with_device(STAND_IN_FAILS="cublasDtrsm:2"),
                            says=("CUDA device 0", "solving with a triangle", "nvidia-smi"))
        report = self.report_of("solve", *options, code=7, env=with_device(STAND_IN_FAILS="cublasDtrsm:2"))
        self.assertIn("CUDA device 0", report["message"])
        done = on_ranks(2, "solve", *options, "--workers", 1, "--report", path,
                        variables=with_device(2, STAND_IN_FAILS="cublasDtrsm:2"))
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("CUDA device", json.loads(path.read_text())["message"])

    def test_a_device_that_fails_under_starpu(self):
        outcome = espalier("solve", "laplace3d:14", "--granularity", "tile", "--cuda-devices", 1, *ALL_ON_DEVICES,
                           env=with_device(STAND_IN_FAILS="cudaEventRecord:20"))
        self.assertEqual(outcome.code, 7, outcome.err)
        self.assertRegex(outcome.err, r"(?m)^espalier: CUDA device 0 failed [^\n]+nvidia-smi[^\n]+\n\Z")
        self.assertEqual(outcome.err.count("espalier:"), 1)

    def test_a_device_without_memory(self):
        self.expect_failure(7, "solve", "laplace3d:14", "--cuda-devices", 1, env=with_device(STAND_IN_BYTES=1 << 20),
                            says="CUDA device")

    def test_a_device_whose_memory_others_have(self):
        """Each tile is allocated by itself, beside 64 MiB of scratch that Espalier has there."""
        options = ("laplace3d:20", "--workers", 1, "--granularity", "tile", "--repeat", 2, "--cuda-devices", 1,
                   *ALL_ON_DEVICES)
        shares = []
        for left in (67_800_000, 69_000_000, 1 << 29):
            with self.subTest(left=left):
                taken = with_device(STAND_IN_TAKEN=(1 << 30) - left, STARPU_SUBALLOCATOR=0)
                report = self.report_of("solve", *options, env=taken, timeout=60)
                self.expect_accurate(report)
                shares.append(report["offload"]["fraction"])
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[0], shares[-1])
        self.expect_failure(5, "solve", *options, "--on-device-full", "fail", timeout=60, says=("device", "on_device_full"),
                            env=with_device(STAND_IN_TAKEN=(1 << 30) - 67_800_000, STARPU_SUBALLOCATOR=0))


if __name__ == "__main__":
    main()
