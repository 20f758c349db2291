# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program on several ranks of this machine."""
import os
import shutil
import subprocess

from support.program import PROGRAM, environment

MPIRUN = shutil.which("mpirun")


def rank_environment(**variables):
    """Open MPI unloads plugins that leak, as far as the address sanitizer sees."""
    return environment(**variables, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")


def on_ranks(ranks, *arguments, options=("--bind-to", "none"), before=(), variables=None, text=""):
    """The finished process; `options` are mpirun's, the command `before` starts it, `variables` are its environment, and `text` is
    what the first rank reads from standard input."""
    command = [*before, MPIRUN, "--allow-run-as-root", "--oversubscribe", *options, "-n", str(ranks), PROGRAM]
    return subprocess.run(command + [str(argument) for argument in arguments], input=text,
                          capture_output=True, text=True, timeout=240, env=variables or rank_environment())
