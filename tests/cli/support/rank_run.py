# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program on three ranks, finds their processes, and waits until they end."""
import os
import signal
import subprocess
import time

from support.processes import command_of, has_ended, kill, state_of
from support.program import PROGRAM, environment
from support.ranks import MPIRUN

RANKS = 3
# Simulates a full disk: a file can have at most this many blocks of 512 bytes.
FULL_DISK = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh"]
# Repeats the factorization long enough for any test.
FACTORIZES = ["laplace2d:60", "--repeat", "1000000"]
SOON = 20  # seconds


def processes_with(marker):
    """Returns the processes whose environment contains the text, as {number: environment}."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                variables = file.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if marker in variables and not has_ended(name):
            found[int(name)] = variables
    return found


def is_program(process):
    """Returns whether the process runs the program under test, and not a launcher."""
    try:
        return os.path.samefile(f"/proc/{process}/exe", PROGRAM)
    except OSError:
        return False  # it has ended


def kill_all(marker):
    kill(processes_with(marker))


def has_workers(process):
    """Returns whether StarPU runs in the process, recognized by the names of its threads."""
    try:
        names = []
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/comm") as file:
                names.append(file.read())
    except OSError:
        return False  # a thread has ended meanwhile
    return any(name.startswith("CPU") for name in names)


class Run:
    """`espalier solve` on three ranks. A mark in their environment identifies the processes."""

    def __init__(self, test, *arguments, launcher=(), wrapper=()):
        mark = f"{os.getpid()}.{time.monotonic_ns()}"
        self.marker = f"ESPALIER_TEST_MARK={mark}"
        # Open MPI unloads plugins that leak, which the address sanitizer would report.
        env = environment(ESPALIER_TEST_MARK=mark, ASAN_OPTIONS="detect_leaks=0")
        command = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", *launcher, "-n", str(RANKS),
                   *wrapper, PROGRAM, "solve", "--workers", "1", *map(str, arguments)]
        self.test = test
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, errors="replace", env=env)
        test.addCleanup(self.end)

    def end(self):
        kill_all(self.marker)
        self.process.communicate()

    def rank(self, number):
        """Returns the process of a rank, as soon as it has started."""
        variable = f"OMPI_COMM_WORLD_RANK={number}"
        while self.process.poll() is None:
            for process, variables in processes_with(self.marker).items():
                if variable in variables and is_program(process):
                    return process
            time.sleep(0.02)
        raise AssertionError(f"it ended too early: {self.process.communicate()}")

    def states(self):
        """Returns the states of the remaining processes of ranks, such as S for sleeping or T for stopped."""
        return {process: state_of(process) for process in processes_with(self.marker) if is_program(process)}

    def wait_for_work(self):
        """Waits until all ranks are in the middle of their work."""
        for number in range(RANKS):
            while not has_workers(self.rank(number)):
                time.sleep(0.05)
        time.sleep(0.7)

    def send(self, signal_number, *ranks):
        for process in [self.rank(number) for number in ranks]:
            os.kill(process, signal_number)

    def expect_end_of_ranks(self, within=SOON):
        """Expects that all ranks end soon, and returns the exit code. If a rank dies during MPI_Init, mpirun 4.1 itself
        sometimes never ends, with any program: it waits in PMIx_server_finalize. It is then killed, and the code is None."""
        begin = time.monotonic()
        while self.states() and time.monotonic() < begin + within:
            time.sleep(0.05)
        self.test.assertEqual(self.states(), {})
        try:
            return self.process.wait(SOON)
        except subprocess.TimeoutExpired:
            self.end()
            return None

    def expect_end(self, within=SOON):
        """Returns exit code, output, lines of Espalier on stderr, and all of stderr. Expects that all processes end soon."""
        begin = time.monotonic()
        try:
            out, err = self.process.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            self.test.fail(f"no end after {within} s; left: {[command_of(process) for process in processes_with(self.marker)]}")
        while processes_with(self.marker) and time.monotonic() < begin + within:
            time.sleep(0.05)
        self.test.assertEqual(processes_with(self.marker), {})
        said = [line for line in err.splitlines() if line.startswith("espalier:")]
        return self.process.returncode, out, said, err
