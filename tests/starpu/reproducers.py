#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The programs of this folder show that StarPU has the patches of tools/starpu. Each uses StarPU alone, and its name is that of a patch."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

from support.ports import free_port  # noqa: E402
from support.processes import ProcessTest  # noqa: E402
from support.ranks import MPIRUN  # noqa: E402

FOLDER = pathlib.Path(os.environ.get("ESPALIER_REPRODUCERS", ""))
SECONDS = 60


def path_of(program):
    return FOLDER / f"test_starpu_{program}"


def setting(**variables):
    return {**os.environ, "STARPU_NCPU": "1", "STARPU_NCUDA": "0", "STARPU_SILENT": "1", "STARPU_WORKERS_NOBIND": "1",
            "STARPU_HOSTNAME": "other", **variables}


class Reproducers(ProcessTest):
    def start(self, *command, **variables):
        process = subprocess.Popen([*map(str, command)], env=setting(**variables), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def expect_success(self, process):
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.fail(f"{process.args} did not end in {SECONDS} s")
        if process.returncode == 77:
            self.skipTest("this StarPU lacks the patch")
        self.assertEqual(process.returncode, 0, output)

    def with_slave(self, program):
        slaves = {"STARPU_TCPIP_MS_SLAVES": "1", "STARPU_NTCPIPMSTHREADS": "1", "STARPU_TCPIP_MS_PORT": free_port()}
        master = self.start(path_of(program), **slaves)
        self.start(path_of(program), **slaves, STARPU_TCPIP_MS_MASTER="127.0.0.1")
        self.expect_success(master)

    def test_copies_both_ways(self):
        self.with_slave("copies_both_ways")

    def test_copy_observer(self):
        self.with_slave("copy_observer")

    def test_leaving_contexts(self):
        for _ in range(3):
            self.expect_success(self.start(path_of("leaving_contexts"), STARPU_NCPU="4"))

    @unittest.skipIf(MPIRUN is None, "there is no mpirun")
    def test_mpi_polling_hook(self):
        self.expect_success(self.start(MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", 2,
                                       path_of("mpi_polling_hook")))


if __name__ == "__main__":
    if not path_of("copy_observer").exists():
        print("skipped: ESPALIER_REPRODUCERS is not set")
        sys.exit(77)
    unittest.main()
