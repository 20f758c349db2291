# SPDX-License-Identifier: BSD-3-Clause
"""Runs a peer's solver for symmetric indefinite matrices on one system, in a separate process: `main(Peer)`.

A class Peer has the methods below. The arrays are the lower triangle by columns, which is the upper triangle by rows: rows
ascend, and each column begins with its diagonal entry, even if that is zero.

    __init__(variant, n, starts, rows, values)   starts: n + 1 numbers of int32, from 0; rows: int32; values: float64
    version()      text, a static method
    analyze()      ordering and symbolic factorization; a solver that does this in its first factor() has no such method
    factor()       numeric factorization; raises PeerFailed
    solve(b)       a new vector
    answer()       {"inertia": [positive, negative, zero], "status": "exact" or "uncertain", "perturbed": count, ...}
"""
import json
import os
import statistics
import sys
import time

TARGET = 1e-14  # refinement stops at this backward error
PATIENCE = 2  # once the factorizations have taken this many seconds, no further one is timed


class PeerFailed(Exception):
    """The solver returned an error."""


def read_system(path):
    """Reads n, the arrays of the lower triangle, and b. README.md describes the file."""
    import numpy as np
    with open(path, "rb") as file:
        n, entries = (int(k) for k in np.fromfile(file, np.int64, 2))
        return (n, np.fromfile(file, np.int32, n + 1), np.fromfile(file, np.int32, entries), np.fromfile(file, np.float64, entries),
                np.fromfile(file, np.float64, n))


class Checked:
    """The full matrix, for residuals."""

    def __init__(self, n, starts, rows, values):
        import numpy as np
        import scipy.sparse
        lower = scipy.sparse.csc_array((values, rows, starts), (n, n))
        self.full = (lower + scipy.sparse.tril(lower, -1).T).tocsr()
        self.norm = abs(self.full).sum(axis=1).max()
        self.np = np

    def residual(self, x, b):
        """Returns b - A x and the backward error."""
        r = b - self.full @ x
        error = self.np.abs(r).max() / (self.norm * self.np.abs(x).max() + self.np.abs(b).max())
        return r, float(error) if self.np.isfinite(error) else float("inf")


def refined(solve, matrix, b, most):
    """Returns x and the number of steps. A step that does not halve the error is the last one; x is the best of all."""
    x = solve(b)
    r, error = matrix.residual(x, b)
    for step in range(most):
        if error <= TARGET or error == float("inf"):
            return x, step
        better = x + solve(r)
        r, new = matrix.residual(better, b)
        last = not new < error / 2
        if new < error:
            x, error = better, new
        if last:
            return x, step + 1
    return x, most


def seconds_of(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def factorizations(peer, repeat):
    """Returns the seconds of each factorization."""
    times = []
    while len(times) < repeat and sum(times) < PATIENCE:
        times.append(seconds_of(peer.factor))
    return times


def analyzed_and_factored(peer, repeat):
    """Returns the seconds of the analysis and the median seconds of a factorization. If the first factorization also analyzes, the
    analysis is its difference to the others; without others it is 0."""
    if hasattr(peer, "analyze"):
        return seconds_of(peer.analyze), statistics.median(factorizations(peer, repeat))
    first, *others = factorizations(peer, repeat)
    factor = min(first, statistics.median(others or [first]))
    return first - factor, factor


def start_library(peer_class, variant):
    """Solves a small system, because the first call of a library starts its threads and loads its kernels."""
    import numpy as np
    n = 100
    peer = peer_class(variant, n, np.arange(n + 1, dtype=np.int32), np.arange(n, dtype=np.int32), np.ones(n))
    analyzed_and_factored(peer, 1)
    peer.solve(np.ones(n))


def run(peer, system, output):
    n, starts, rows, values, b = system
    analysis, factor = analyzed_and_factored(peer, int(os.environ.get("REPEATS", 3)))
    matrix = Checked(n, starts, rows, values)
    found = []
    solve = seconds_of(lambda: found.extend(refined(peer.solve, matrix, b, int(os.environ.get("REFINE", 10)))))
    found[0].tofile(output)
    return {"analyse_s": analysis, "factor_s": factor, "solve_s": solve, "refinements": found[1], **peer.answer()}


def main(peer_class):
    """Usage: --version, or INPUT OUTPUT [VARIANT]. Prints one line of JSON. The exit code is 3 if the library is missing, and 4 if the
    solver failed."""
    try:
        if sys.argv[1:] == ["--version"]:
            print(json.dumps({"version": peer_class.version()}))
            return 0
        variant = sys.argv[3] if len(sys.argv) > 3 else ""
        system = read_system(sys.argv[1])
        start_library(peer_class, variant)
        print(json.dumps(run(peer_class(variant, *system[:4]), system, sys.argv[2])))
        return 0
    except (ImportError, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    except PeerFailed as error:
        print(error, file=sys.stderr)
        return 4


def library(name):
    """Loads a shared library: the file that the variable <NAME>_LIBRARY names, or one in the Python environment."""
    import ctypes
    import glob
    import sysconfig
    folders = [sysconfig.get_path("purelib") + "/cmeel.prefix/lib", sys.prefix + "/lib"]
    files = [file for folder in folders for file in sorted(glob.glob(f"{folder}/lib{name}.so*"))]
    wanted = os.environ.get(f"{name.upper()}_LIBRARY") or (files[-1] if files else f"lib{name}.so")
    return ctypes.CDLL(wanted, mode=ctypes.RTLD_GLOBAL)
