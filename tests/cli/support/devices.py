# SPDX-License-Identifier: BSD-3-Clause
"""Shared code for tests of CUDA devices."""
import json
import os
import pathlib
import re
import tempfile

from support.program import ALL_COMBINATIONS, ProgramTest, environment, espalier

# Options that run all D, F and U on devices, whatever their size.
ALL_ON_DEVICES = ["--sched", "fanout"] + [word for kernel in ("potrf", "trsm", "syrk", "gemm")
                                          for word in ("--sched-option", f"threshold_{kernel}=0")]


def with_stand_in(devices=1, **changes):
    """Returns the environment of a program whose CUDA functions are those of the stand-in.

    StarPU measures the buses again if it finds other devices than before, which takes seconds. So each set of devices has a folder for
    StarPU's measurements.
    """
    seen = re.sub(r"\W", "-", str(changes.get("STAND_IN_VISIBLE", "all")))
    home = pathlib.Path(changes.pop("STARPU_HOME", os.environ.get("STARPU_HOME", tempfile.gettempdir()))) / f"{devices}-{seen}"
    home.mkdir(parents=True, exist_ok=True)
    changes.setdefault("LD_PRELOAD", os.environ["ESPALIER_CHECKED_STAND_IN" if ALL_COMBINATIONS else "ESPALIER_STAND_IN"])
    return environment(STARPU_HOME=home, STAND_IN_DEVICES=devices, **changes)


def read_stand_in_reports(folder):
    """Returns the counts of the stand-in for each process that used a device."""
    return [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.json"))]


class DeviceTest(ProgramTest):
    def stand_in_report(self, *arguments, **env):
        """Returns the counts of the stand-in for a successful run. An earlier run makes StarPU measure the buses."""
        self.expect_success("solve", "laplace2d:3", "--cuda-devices", 1, "--quiet", env=with_stand_in())
        with tempfile.TemporaryDirectory() as folder:
            outcome = espalier(*arguments, env=with_stand_in(STAND_IN_REPORT=folder, **env))
            self.assertEqual(outcome.code, 0, outcome.err)
            report, = read_stand_in_reports(folder)
        return report

    def expect_solved_on_devices(self, there, **env):
        share = self.solved_on_devices(**env)
        if there:
            self.assertGreater(share, 0.1)
        else:
            self.assertEqual(share, 0)

    def solved_on_devices(self, **env):
        report = self.report_of("solve", "laplace3d:30", "--workers", 1, "--nrhs", 64, "--cuda-devices", 1,
                                *ALL_ON_DEVICES, env=with_stand_in(**env))
        self.expect_accurate(report)
        return report["solve"]["offloaded"]
