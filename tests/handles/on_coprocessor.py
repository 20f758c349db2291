#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Factorizations and solves on handles whose newest copies are in the memory of a coprocessor."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

from support.ports import free_port  # noqa: E402
from support.processes import ProcessTest  # noqa: E402

PROGRAM = os.environ.get("ESPALIER_HANDLES_ON_COPROCESSOR", "")


class OnCoprocessor(ProcessTest):
    def expect_solved(self, workers):
        # StarPU leaks nodes of its lists of tasks for one worker.
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        env = {**os.environ, "ASAN_OPTIONS": sanitizer, "STARPU_NCPU": str(workers), "STARPU_NCUDA": "0", "STARPU_WORKERS_NOBIND": "1", "STARPU_SCHED": "eager",
               "STARPU_SILENT": "1", "STARPU_TCPIP_MS_SLAVES": "1", "STARPU_NTCPIPMSTHREADS": "1", "STARPU_TCPIP_MS_PORT": free_port(),
               "STARPU_HOSTNAME": "other"}
        arguments = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        master = subprocess.Popen([PROGRAM], env=env, **arguments)
        slave = subprocess.Popen([PROGRAM], env={**env, "STARPU_TCPIP_MS_MASTER": "127.0.0.1"}, **arguments)
        try:
            _, err = master.communicate(timeout=60)
            slave.communicate(timeout=20)
        finally:
            master.kill()
            slave.kill()
        if master.returncode == 77:
            self.skipTest("this StarPU has no coprocessors")
        self.assertEqual(master.returncode, 0, err)

    def test_factorizations_and_solves_in_one_task(self):
        self.expect_solved(1)

    def test_factorizations_and_solves_in_many_tasks(self):
        self.expect_solved(2)


if __name__ == "__main__":
    unittest.main()
