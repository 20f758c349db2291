# SPDX-License-Identifier: BSD-3-Clause
"""Environments of programs that use StarPU, and their runs with a coprocessor: another process of the same program, over TCP/IP."""
import os
import subprocess

from .ports import free_port


def starpu_environment(workers, **variables):
    """Returns an environment for a program with CPU workers that are not bound to cores."""
    # StarPU leaks nodes of its lists of tasks for one worker.
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return {**os.environ, "ASAN_OPTIONS": sanitizer, "STARPU_NCPU": str(workers), "STARPU_NCUDA": "0", "STARPU_WORKERS_NOBIND": "1",
            **variables}


def one_coprocessor():
    """Returns the variables for one coprocessor of one thread."""
    return {"STARPU_SILENT": "1", "STARPU_TCPIP_MS_SLAVES": "1", "STARPU_NTCPIPMSTHREADS": "1", "STARPU_TCPIP_MS_PORT": free_port(),
            "STARPU_HOSTNAME": "other"}


def run_with_coprocessor(command, env, timeout):
    """Runs a command and its coprocessor. Returns its exit code, output and error messages."""
    arguments = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    master = subprocess.Popen(command, env=env, **arguments)
    slave = subprocess.Popen(command, env={**env, "STARPU_TCPIP_MS_MASTER": "127.0.0.1"}, **arguments)
    try:
        out, err = master.communicate(timeout=timeout)
        slave.communicate(timeout=20)
    finally:
        master.kill()
        slave.kill()
    return master.returncode, out, err
