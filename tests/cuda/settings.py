#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solves the same systems on the stand-in under different settings: delays of work, threads of kernels forward, backward or both and
compared, one allocation per tile or large ones for many, and one or several workers per device. By default this tests a few settings.
ESPALIER_ALL_COMBINATIONS=1 tests all of them and also runs the other tests under some of them, which takes minutes."""
import itertools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.devices import ALL_ON_DEVICES, DeviceTest, with_stand_in  # noqa: E402
from support.matrices import grid_entries, symmetric  # noqa: E402
from support.program import ALL_COMBINATIONS, environment, main  # noqa: E402
from support.ranks import on_ranks  # noqa: E402

NAMES = ("STAND_IN_LATE", "STAND_IN_ORDER", "STARPU_SUBALLOCATOR", "STARPU_NWORKER_PER_CUDA")
ALL = list(itertools.product(range(4), ("forward", "backward", "compare"), (0, 1), (1, 4)))
# Each value, and each pair of the last two. The first two settings contain both values of most variables.
FEW = [(1, "compare", 0, 4), (2, "backward", 1, 1), (0, "compare", 0, 1), (3, "forward", 1, 4)]

# Almost all kinds of tasks, in large and in small pieces, on one device. Devices run tasks A (assemble) only by chance.
SOLVES = (("laplace3d:12", "--granularity", "tile", "--nrhs", 64, "--repeat", 2, *ALL_ON_DEVICES),
          ("irregular2d:2000", "--granularity", "block", *ALL_ON_DEVICES),
          ("laplace2d:100", "--granularity", "panel", "--sched", "halo", "--sched-option", "halo=static0:0.7"),
          ("irregular2d:5000", "--granularity", "tile", "--sched", "lws", "--subtrees-per-worker", 20, "--repeat", 3))


class Settings(DeviceTest):
    def for_each_setting(self, check, few=2):
        for values in ALL if ALL_COMBINATIONS else FEW[:few]:
            setting = dict(zip(NAMES, values))
            with self.subTest(**setting):
                check(setting)

    def test_solves(self):
        there = set()

        def check(setting):
            for arguments in SOLVES:
                report = self.report_of("solve", *arguments, "--workers", 1, "--cuda-devices", 1, env=with_stand_in(**setting))
                self.expect_accurate(report)
                self.assertEqual(report["machine"]["cuda_workers"], setting["STARPU_NWORKER_PER_CUDA"])
                there.update(kind["kind"] for kind in report["kinds"] if kind["worker"] == "cuda")
        self.for_each_setting(check, len(FEW))
        self.assertLessEqual({"diagonal", "factor", "update", "fill"}, there)

    def test_several_devices(self):
        def check(setting):
            for devices in (2, 6) if ALL_COMBINATIONS else (2,):
                report = self.report_of("solve", *SOLVES[0], "--workers", 1, "--cuda-devices", devices,
                                        env=with_stand_in(devices, **setting))
                self.expect_accurate(report)
        self.for_each_setting(check)

    def test_messages_from_device_to_device(self):
        path = self.folder / "report.json"

        def check(setting):
            done = on_ranks(2, "solve", *SOLVES[0], "--workers", 1, "--cuda-devices", 1, "--report", path,
                            variables=with_stand_in(2, STAND_IN_MPI=1, **setting))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.expect_accurate(json.loads(path.read_text()))
        self.for_each_setting(check)

    def test_pivots_that_fail(self):
        size, column = 12, 70
        matrix = self.write("a.mtx", symmetric(size**2, {**grid_entries(size), (column, column): -1.0}))

        def check(setting):
            report = self.report_of("solve", matrix, "--granularity", "block", "--workers", 1, "--cuda-devices", 1, *ALL_ON_DEVICES,
                                    code=4, env=with_stand_in(**setting))
            self.assertEqual(report["not_positive_definite"]["column"], column)
        self.for_each_setting(check)

    def test_the_other_tests(self):
        if not ALL_COMBINATIONS:
            self.skipTest("ESPALIER_ALL_COMBINATIONS=1 runs the other tests under more settings")
        for name, late, suballocator in itertools.product(("solves", "ranks", "stand_in"), (1, 2), (0, 1)):
            with self.subTest(name=name, late=late, suballocator=suballocator):
                env = environment(STAND_IN_LATE=late, STAND_IN_ORDER="compare", STARPU_SUBALLOCATOR=suballocator,
                                  ESPALIER_ALL_COMBINATIONS=None)
                done = subprocess.run([sys.executable, ROOT / "tests" / "cuda" / f"{name}.py"], env=env, capture_output=True,
                                      text=True, timeout=600)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
