# SPDX-License-Identifier: BSD-3-Clause
"""Solves a quadratic program with Clarabel. Usage: clarabel_quadratic.py METHOD"""
import sys

import clarabel
import numpy
import scipy.sparse
from loaded import report

N = 400
rng = numpy.random.default_rng(1)
half = scipy.sparse.random(N, N, 0.01, random_state=1)
P = scipy.sparse.triu(half @ half.T + scipy.sparse.eye(N), format="csc")
equations = scipy.sparse.random(N // 2, N, 0.01, random_state=2)
inside = rng.uniform(-0.5, 0.5, N)
A = scipy.sparse.vstack([equations, scipy.sparse.eye(N), -scipy.sparse.eye(N)], format="csc")
b = numpy.concatenate([equations @ inside, numpy.ones(2 * N)])
cones = [clarabel.ZeroConeT(N // 2), clarabel.NonnegativeConeT(2 * N)]
settings = clarabel.DefaultSettings()
settings.direct_solve_method = sys.argv[1]
settings.verbose = False
solution = clarabel.DefaultSolver(P, rng.standard_normal(N), A, b, cones, settings).solve()
report(status=str(solution.status), objective=solution.obj_val, iterations=solution.iterations)
