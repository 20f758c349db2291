# SPDX-License-Identifier: BSD-3-Clause
"""Functions of all programs in this folder: they time a solve and report the result."""
import json
import pathlib
import re
import time


def timed(solve, repeats):
    """Calls a function several times, as a user who solves several problems in one process. Returns the seconds of each call, the
    seconds of the processors in each call, and the last result."""
    seconds, processor_seconds = [], []
    for _ in range(repeats):
        start, processor_start = time.perf_counter(), time.process_time()
        result = solve()
        seconds.append(time.perf_counter() - start)
        processor_seconds.append(time.process_time() - processor_start)
    return {"seconds": seconds, "processor_seconds": processor_seconds}, result


def report(**results):
    """Prints the results as JSON, and the libraries of Espalier and MKL that this process has loaded."""
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    libraries = sorted(set(re.findall(r"/(libespalier_\S+|libmkl_rt\S+)", maps)))
    print(json.dumps({**results, "libraries": libraries}), flush=True)
