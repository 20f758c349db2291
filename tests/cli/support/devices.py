# SPDX-License-Identifier: BSD-3-Clause
"""What tests of CUDA devices have in common."""
import os

from support.program import ProgramTest, environment

# All D, F and U on devices, whatever their size.
ALL_ON_DEVICES = ["--sched", "fanout"] + [word for kernel in ("potrf", "trsm", "syrk", "gemm")
                                          for word in ("--sched-option", f"threshold_{kernel}=0")]


def with_stand_in(devices=1, **changes):
    """The environment of a program whose functions of CUDA are those of the stand-in."""
    return environment(LD_PRELOAD=os.environ["ESPALIER_STAND_IN"], STAND_IN_DEVICES=devices, **changes)


class DeviceTest(ProgramTest):
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
