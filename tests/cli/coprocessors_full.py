#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Coprocessors whose memory is full although StarPU does not know it: the two reactions of symPACK (2023, section 4.2)."""
import os

from support.coprocessors import ALL_ON_DEVICES, runs, skip_without_coprocessors
from support.program import ProgramTest, environment, main

LARGE = ("laplace3d:20", "--workers", 1, "--granularity", "tile", "--repeat", 2, "--coprocessors", 1, *ALL_ON_DEVICES)
KINDS = ("diagonal", "factor", "update")


def with_device_bytes(room):
    """Returns the environment in which a coprocessor has this many bytes for tiles."""
    return environment(LD_PRELOAD=os.environ["ESPALIER_FULL_COPROCESSOR"], FULL_COPROCESSOR_BYTES=room)


class FullCoprocessors(ProgramTest):
    def test_tasks_that_do_not_fit_run_on_the_host(self):
        shares = []
        for room in (200_000, 1_200_000, 2_300_000, 1 << 30):
            with self.subTest(room=room):
                report = self.report_of("solve", *LARGE, timeout=60, env=with_device_bytes(room))
                self.expect_accurate(report)
                there, here = runs(report, "coprocessor"), runs(report, "cpu")
                for kind in KINDS:
                    self.assertEqual(there.get(kind, 0) + here.get(kind, 0), report["tasks"][kind], kind)
                shares.append(report["offload"]["fraction"])
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[0], shares[-1])

    def test_a_factorization_stops_where_that_is_asked_for(self):
        options = (*LARGE, "--on-device-full", "fail")
        self.expect_failure(5, "solve", *options, timeout=60, env=with_device_bytes(200_000), says=("device", "on_device_full"))
        self.expect_success("solve", *options, timeout=60, env=with_device_bytes(1 << 30))


if __name__ == "__main__":
    skip_without_coprocessors()
    main()
