#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""If an allocation fails, the program ends with exit code 5 and one line, or completes the run without that memory.

ESPALIER_FAILING_ALLOCATIONS=N tries about 3 N allocations of each run and mode instead of a few, and allocations of libraries in all
runs. StarPU's threads make other allocations each time.
"""
import collections
import concurrent.futures
import gzip
import os
import pathlib
import random
import signal
import subprocess
import tempfile

from support.coprocessors import OWN, has_coprocessors
from support.matrices import grid_entries, symmetric
from support.program import PROGRAM, ProgramTest, environment, is_sanitized, main, skip

Ending = collections.namedtuple("Ending", "way number code err files log")

IS_LONG = "ESPALIER_FAILING_ALLOCATIONS" in os.environ
TRIED = int(os.environ.get("ESPALIER_FAILING_ALLOCATIONS", "4"))
WAYS = ("FAIL_AT", "FAIL_FROM")
TASKS = ("solve", "laplace2d:30", "--workers", 2, "--granularity", "block", "--sched")

# Libraries that do not survive a failed allocation: a function on the call stack, and the exit codes. The only remedy is to reserve memory
# beforehand (src/base/memory.hpp, tools/launch).
KNOWN = {
    # Its constructor ends with exit code 1 after two messages; the program turns this into 5. If all allocations fail, its message recurses
    # without end.
    "libgfortran.so": ("", {5, -signal.SIGSEGV}),
    # They print a message before they end the program or return.
    "libgomp.so": ("", {5}),
    "libmetis.so": ("gk_malloc", {5}),
    # Its constructor interrupts the process if it cannot start a thread (pthread_create).
    "libopenblas.so": ("blas_thread_init", {-signal.SIGINT}),
    # It does not check bitmaps and objects of hwloc_topology_load(). Without a bitmap, hwloc_linux_get_tid_cpubind() tries larger ones for
    # ever.
    "libhwloc.so": ("", {-signal.SIGSEGV, -signal.SIGABRT, "hangs"}),
    # For speed, it does not check the results of malloc(): starpu_initialize(), starpu_task_create(), starpu_task_submit(),
    # starpu_data_register(), starpu_sched_ctx_get_workers_list() in workers that wake, starpu_perfmodel_arch_comb_add() after a task,
    # starpu_st_prio_deque_push_back_task() in StarPU's own policies.
    "libstarpu-1.": ("", {-signal.SIGSEGV, -signal.SIGABRT, "hangs"}),
}


# Libraries that allocate on behalf of others.
BETWEEN = ("libespalier_failing_allocations", "libc.so", "libstdc++.so", "ld-linux")


def tried(count):
    """Returns some numbers from 1 to `count`: the first ones, random ones that become rarer as they grow, and uniformly random ones."""
    chosen = random.Random(count)
    return sorted({*range(1, min(count, TRIED) + 1), *(int(count ** chosen.random()) for _ in range(TRIED)),
                   *(chosen.randint(1, count) for _ in range(TRIED))})


def is_known(ending):
    """Returns whether a library is known to end the program in this way if an allocation fails."""
    for line in ending.log.splitlines():
        frames = [frame for frame in line.split(" < ")[1:] if not frame.startswith(BETWEEN)]
        for name, (function, codes) in KNOWN.items():
            if frames and frames[0].startswith(name) and any(function in frame for frame in frames) and ending.code in codes:
                return True
    return False


class FailingAllocations(ProgramTest):
    def run_with(self, arguments, counted, way=None, number=0):
        """Runs the program with failures among the allocations `counted`: those of the "program", or "all"."""
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            place = pathlib.Path(place)
            work = place / "work"
            work.mkdir()
            changes = {way: number} if way else {}
            env = environment(LD_PRELOAD=os.environ["ESPALIER_ALLOCATIONS_LIBRARY"], FAIL_IN=counted,
                              FAIL_LOG=place / "log", **changes)
            with subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, env=env, cwd=work, start_new_session=True) as run:
                try:
                    err, code = run.communicate(timeout=30)[1], run.returncode
                except subprocess.TimeoutExpired:
                    os.killpg(run.pid, signal.SIGKILL)
                    err, code = run.communicate()[1], "hangs"
            files = [path.name for path in work.rglob("*")]
            log = (place / "log").read_text(errors="replace") if (place / "log").exists() else ""
        code = 128 - code if code in (128 + signal.SIGSEGV, 128 + signal.SIGABRT) else code  # if the host process of a coprocessor crashed
        return Ending(way, number, code, err.decode(errors="replace"), files, log)

    def expect_told(self, arguments, ending):
        processes = 3 if "--coprocessors" in arguments else 1  # the allocations of each process are counted separately
        self.assertIn(ending.code, (0, 5), ending)
        self.assertRegex(ending.err, rf"\A(espalier: [^\n]+\n){{0,{processes}}}\Z", ending)
        self.assertEqual(ending.code == 5, ending.err != "", ending)
        self.assertFalse([name for name in ending.files if ".partial-" in name], ending)

    def endings(self, arguments, counted, ways=WAYS):
        """Returns the endings of runs in which one allocation fails, or that one and all later ones."""
        whole = self.run_with(arguments, counted)
        self.assertEqual((whole.code, whole.err), (0, ""))
        count = max(int(line.split()[1]) for line in whole.log.splitlines() if line.startswith("allocations "))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda one: self.run_with(arguments, counted, *one),
                                 [(way, number) for way in ways for number in tried(count)]))

    def runs_without_tasks(self):
        yield "--version",
        yield "compare", "--help"
        yield "analyze", self.write("b.mtx", symmetric(25, grid_entries(5)))
        yield "generate", "laplace2d:9", "a.mtx.gz"

    def runs_with_tasks(self):
        matrix = self.write("a.mtx", symmetric(25, grid_entries(5)))
        packed = self.write("a.mtx.gz", gzip.compress(matrix.read_bytes()))
        yield "solve", packed, "--quiet"
        yield ("solve", matrix, "--workers", 1, "--report", "r.json", "--trace", "trace", "--html", "r.html", "--out",
               "x.mtx.gz")
        for policy in (*OWN, "lws"):
            if policy != "halo":  # it divides work between the host and devices
                yield *TASKS, policy
        if has_coprocessors():
            yield "solve", "laplace2d:9", "--workers", 1, "--coprocessors", 1, "--sched", "halo"

    def test_the_program_s_own_end_with_code_5(self):
        for arguments in (*self.runs_without_tasks(), *self.runs_with_tasks()):
            with self.subTest(arguments=arguments):
                endings = self.endings(arguments, "program")
                for ending in endings:
                    self.expect_told(arguments, ending)
                self.assertIn(5, [ending.code for ending in endings])

    def test_those_of_libraries_do_so_where_the_library_survives(self):
        for arguments in (*self.runs_without_tasks(), *(self.runs_with_tasks() if IS_LONG else ())):
            with self.subTest(arguments=arguments):
                for ending in self.endings(arguments, "all"):
                    if not is_known(ending):
                        self.expect_told(arguments, ending)


if __name__ == "__main__":
    if "ESPALIER_ALLOCATIONS_LIBRARY" not in os.environ or is_sanitized():
        skip("the address sanitizer replaces the allocation functions")
    main()
