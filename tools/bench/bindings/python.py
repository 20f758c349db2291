# SPDX-License-Identifier: BSD-3-Clause
"""Times the steps of the other programs of this folder in Python, with the package espalier or scikit-sparse 0.4.

Usage: python.py espalier|sksparse MATRIX.mtx[.gz]
"""
import json
import os
import statistics
import sys
import time

import numpy as np
import scipy.io
from scipy import sparse


class Espalier:
    def __init__(self, workers):
        import espalier

        self.package = espalier
        self.options = {"workers": workers}
        # StarPU starts before the timed steps, because the times of the program do not include its start.
        self.first = espalier.cho_factor(sparse.identity(2, format="csc"), **self.options)

    def analyze(self, a):
        self.factor = self.package.CholeskyFactor(a, **self.options)

    def factorize(self, a):
        self.factor.factorize(a)

    def solve(self, b):
        return self.factor.solve(b)


class ScikitSparse:
    def __init__(self, workers):
        import sksparse.cholmod

        self.package = sksparse.cholmod

    def analyze(self, a):
        self.factor = self.package.analyze(a)

    def factorize(self, a):
        self.factor.cholesky_inplace(a)

    def solve(self, b):
        return self.factor(b)


SOLVERS = {"espalier": Espalier, "sksparse": ScikitSparse}


def timed(step, *given):
    begin = time.perf_counter()
    result = step(*given)
    return time.perf_counter() - begin, result


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SOLVERS:
        sys.exit(__doc__)
    solver = SOLVERS[sys.argv[1]](int(os.environ.get("OMP_NUM_THREADS", 1)))
    a = sparse.csc_matrix(scipy.io.mmread(sys.argv[2]))
    b = a @ np.ones(a.shape[0])
    analyze, _ = timed(solver.analyze, a)
    factorize = [timed(solver.factorize, a)[0] for _ in range(int(os.environ.get("REPEATS", 1)))]
    solve, x = timed(solver.solve, b)
    scale = abs(a).sum(axis=1).max() * abs(x).max() + abs(b).max()
    print(json.dumps({
        "solver": sys.argv[1], "matrix": sys.argv[2], "n": a.shape[0], "nnz_lower": sparse.tril(a).nnz, "analyse_s": analyze,
        "factor_s": min(factorize), "factor_median_s": statistics.median(factorize), "factor_first_s": factorize[0],
        "solve_s": solve, "nnz_l": 0, "flops": 0, "backward_error": abs(b - a @ x).max() / scale}))


if __name__ == "__main__":
    main()
