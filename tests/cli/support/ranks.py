# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program on several ranks of this machine."""
import os
import shutil
import subprocess

from support.program import PROGRAM, environment

MPIRUN = shutil.which("mpirun")


def rank_environment(**variables):
    """Returns an environment without the leak checker, because Open MPI unloads plugins that leak."""
    return environment(**variables, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")


def on_ranks(ranks, *arguments, options=("--bind-to", "none"), before=(), variables=None, text=""):
    """Runs the program on ranks. Returns the finished process.

    `options` are those of mpirun, the command `before` starts the program, `variables` are its environment, and the first rank reads
    `text` from standard input.
    """
    command = [*before, MPIRUN, "--allow-run-as-root", "--oversubscribe", *options, "-n", str(ranks), PROGRAM]
    return subprocess.run(command + [str(argument) for argument in arguments], input=text,
                          capture_output=True, text=True, timeout=240, env=variables or rank_environment())
