#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Systems that one process solves on the stand-in for a CUDA device."""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.devices import ALL_ON_DEVICES, DeviceTest, with_stand_in  # noqa: E402
from support.matrices import grid_entries, symmetric  # noqa: E402
from support.program import main  # noqa: E402

M = 24
N = M * M


class Solves(DeviceTest):
    def solve(self, *arguments, **env):
        report = self.report_of("solve", "laplace3d:14", "--workers", 1, "--granularity", "tile", "--repeat", 3, *arguments,
                                env=with_stand_in(**env))
        self.expect_accurate(report)
        return report

    def set_bus(self, megabytes_a_second):
        """Changes the bandwidths that StarPU measured, in the folder of the test."""
        measured, = self.folder.glob("*/.starpu/sampling/bus/*.bandwidth")
        measured.write_text(re.sub(r"\b[1-9]\.\d+e[+-]\d+", f"{megabytes_a_second:e}", measured.read_text()))

    def test_solving_by_what_starpu_measured_of_the_bus(self):
        self.solved_on_devices(STARPU_HOME=self.folder)
        for megabytes_a_second in (1e6, 1):
            self.set_bus(megabytes_a_second)
            self.expect_solved_on_devices(megabytes_a_second > 1, STARPU_HOME=self.folder)

    def test_two_devices(self):
        report = self.solve("--cuda-devices", 2, "--sched", "eager", devices=2)
        self.assertEqual(report["machine"]["cuda_devices"], 2)

    def test_several_workers_of_a_device(self):
        report = self.solve("--cuda-devices", 1, *ALL_ON_DEVICES, STARPU_NWORKER_PER_CUDA=3)
        self.assertEqual(report["machine"]["cuda_workers"], 3)

    def test_a_device_has_two_workers(self):
        report = self.solve("--cuda-devices", 1, *ALL_ON_DEVICES)
        self.assertEqual(report["machine"]["cuda_workers"], 2)

    def test_workers_of_a_device_share_its_speed(self):
        """The division between the host and the device does not depend on the number of workers."""
        def planned(workers):
            options = ("laplace3d:20", "--workers", 2, "--granularity", "tile", "--cuda-devices", 1, "--sched", "halo")
            report = self.report_of("solve", *options, env=with_stand_in(STARPU_NWORKER_PER_CUDA=workers))
            self.assertEqual(report["machine"]["cuda_workers"], workers)
            return report["offload"]["planned_fraction"]
        self.assertGreater(planned(1), 0)
        self.assertEqual(planned(4), planned(1))

    def test_tasks_one_after_another(self):
        self.solve("--cuda-devices", 1, *ALL_ON_DEVICES, STARPU_CUDA_PIPELINE=0)

    def test_values_of_a_factor_are_pinned(self):
        """Pinned memory lets copies overlap with kernels. A failure mark of 8 bytes is not pinned."""
        for granularity, copies in (("panel", 5), ("tile", 10), ("block", 1000)):
            with self.subTest(granularity=granularity):
                counts = self.stand_in_report("solve", "laplace3d:14", "--workers", 1, "--granularity", granularity, "--cuda-devices",
                                              1, *ALL_ON_DEVICES, STAND_IN_PAGEABLE=8)
                self.assertGreater(counts["copies"], copies)

    def test_vectors_of_a_solve_that_is_repeated_are_pinned(self):
        """The vectors are pinned for three blocks of 64 right-hand sides. For only one block, pinning would take longer than the
        copies."""
        self.solve("--cuda-devices", 1, STARPU_HOME=self.folder)
        self.set_bus(1e6)
        counts = {columns: self.stand_in_report("solve", "laplace3d:36", "--workers", 1, "--nrhs", columns, "--cuda-devices", 1,
                                                *ALL_ON_DEVICES, STARPU_HOME=self.folder) for columns in (64, 192)}
        self.assertGreater(counts[192]["copies"], counts[64]["copies"] + 20)
        self.assertEqual(counts[192]["pageable_copies"], counts[64]["pageable_copies"])

    def test_a_calibration_leaves_out_what_first_calls_take(self):
        """CUDA loads a kernel at its first call. One such sample would make devices seem too slow. Copies are measured from pinned memory,
        because the memory of a factor is pinned."""
        seconds = 0.2
        self.expect_success("calibrate", "--workers", 1, "--cuda-devices", 1, "--quick", "--quiet", "--out", self.folder / "costs.json",
                            env=with_stand_in(STAND_IN_LOADING=round(seconds * 1e6), STAND_IN_PAGEABLE=8))
        costs = json.loads((self.folder / "costs.json").read_text())
        for kernel, operations in ("gemm", 2), ("gemm_alone", 2), ("syrk", 1), ("scatter", 1):
            self.assertLess(costs[kernel]["seconds_per_operation"][0] * operations, seconds / 3, kernel)

    def test_messages_go_to_a_device_once(self):
        """Lists of positions in tiles are copied once for all factorizations, or with each task if the device has little memory left."""
        copies = {}
        for taken in (0, 980_000_000):
            for repeat in (1, 3):
                counts = self.stand_in_report("solve", "laplace3d:14", "--workers", 1, "--granularity", "block", "--repeat", repeat,
                                              "--cuda-devices", 1, *ALL_ON_DEVICES, STAND_IN_TAKEN=taken, STARPU_SUBALLOCATOR=0,
                                              STARPU_NWORKER_PER_CUDA=1)
                copies[taken, repeat] = counts["copies"]
        lists = copies[980_000_000, 1] - copies[0, 1]
        self.assertGreater(lists, 1000)
        self.assertAlmostEqual(copies[980_000_000, 3] - copies[0, 3], 3 * lists, delta=lists)

    def test_a_clock_of_the_device_that_is_set_back(self):
        report = self.solve("--cuda-devices", 1, *ALL_ON_DEVICES, STAND_IN_CLOCK="back")
        for kind in report["kinds"]:
            self.assertLess(kind["seconds"], 100, kind)

    def test_little_memory_of_the_device(self):
        # Half of the factor of this problem. StarPU's own allocator would take 32 MiB at a time.
        report = self.report_of("solve", "laplace3d:24", "--workers", 1, "--granularity", "tile", "--cuda-devices", 1,
                                *ALL_ON_DEVICES, env=with_stand_in(STARPU_LIMIT_CUDA_MEM=8, STARPU_SUBALLOCATOR=0))
        self.expect_accurate(report)
        self.assertGreater(report["offload"]["fraction"], 0.2)

    def test_a_device_whose_memory_others_have(self):
        """Each tile is allocated separately. In addition, Espalier has 64 MiB of scratch memory on the device per worker."""
        def taken(left):
            return with_stand_in(STAND_IN_TAKEN=(1 << 30) - left, STARPU_SUBALLOCATOR=0, STARPU_NWORKER_PER_CUDA=1)
        options = ("laplace3d:20", "--workers", 1, "--granularity", "tile", "--repeat", 2, "--cuda-devices", 1,
                   *ALL_ON_DEVICES)
        shares = []
        for left in (67_800_000, 69_000_000, 1 << 29):
            with self.subTest(left=left):
                report = self.report_of("solve", *options, env=taken(left), timeout=60)
                self.expect_accurate(report)
                shares.append(report["offload"]["fraction"])
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[0], shares[-1])
        self.expect_failure(5, "solve", *options, "--on-device-full", "fail", timeout=60, says=("device", "on_device_full"),
                            env=taken(67_800_000))

    def test_halo(self):
        report = self.solve("--cuda-devices", 1, "--sched", "halo", "--sched-option", "halo=static0:0.5")
        there = {kind["kind"]: kind["count"] for kind in report["kinds"] if kind["worker"] == "cuda"}
        self.assertGreater(there["fill"], 0)
        self.assertGreater(there["update"], 0)

    def factor_with_signs(self, matrix, *options, **env):
        report = self.report_of("solve", *matrix, "--factorization", "ldlt", "--workers", 1, *options, env=with_stand_in(**env))
        self.expect_accurate(report)
        return report

    def test_signs(self):
        """Devices run all F and U of L J L^T, with chosen and with given signs. The CPU runs D."""
        given = self.write("d.mtx", symmetric(N, {(i, j): -value if i == j > N // 2 else value for (i, j), value in grid_entries(M).items()}))
        signs = self.write("signs", "1\n" * (N // 2) + "-1\n" * (N - N // 2))
        for matrix in (("stokes2d:20",), ("helmholtz3d:8",), (given, "--signs", signs)):
            for granularity in ("panel", "tile", "block"):
                for order in ("compare", "forward"):
                    with self.subTest(matrix=matrix, granularity=granularity, order=order):
                        options = (matrix, "--granularity", granularity, "--panel-width", 32)
                        report = self.factor_with_signs(*options, "--cuda-devices", 1, *ALL_ON_DEVICES, STAND_IN_ORDER=order)
                        there = {kind["kind"]: kind["count"] for kind in report["kinds"] if kind["worker"] == "cuda"}
                        self.assertEqual(there.get("diagonal", 0), 0)
                        for kind in ("factor", "update"):
                            self.assertEqual(there.get(kind, 0), report["tasks"][kind], kind)
                        here = self.factor_with_signs(*options)
                        self.assertEqual(report["factor"]["inertia"], here["factor"]["inertia"])
                        self.assertAlmostEqual(report["factor"]["growth"] / here["factor"]["growth"], 1, delta=1e-6)

    def test_every_policy_with_signs(self):
        for name in ("espalier", "fanout", "ktq", "levelset", "hlevelset", "halo", "eager", "lws", "dmdas"):
            with self.subTest(scheduler=name):
                report = self.factor_with_signs(("helmholtz3d:8",), "--granularity", "tile", "--cuda-devices", 1, "--sched", name)
                self.assertEqual(report["factor"]["inertia"]["status"], "exact")

    def test_small_updates_are_one_call(self):
        options = ["laplace2d:100", "--granularity", "panel", "--cuda-devices", 1, "--sched", "halo",
                   "--sched-option", "halo=static0:0.7"]
        self.expect_accurate(self.report_of("solve", *options, env=with_stand_in()))
        self.expect_failure(7, "solve", *options, says="multiplying several matrices",
                            env=with_stand_in(STAND_IN_FAILS="cublasDgemmGroupedBatched:0"))


if __name__ == "__main__":
    main()
