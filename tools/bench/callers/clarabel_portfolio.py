# SPDX-License-Identifier: BSD-3-Clause
"""Chooses a portfolio with Clarabel: the least risk minus return, in a model with one factor per hundred assets.
Usage: clarabel_portfolio.py ASSETS REPEATS METHOD"""
import sys

import clarabel
import numpy
import scipy.sparse
from loaded import report, timed

ASSETS = int(sys.argv[1])
FACTORS = max(1, ASSETS // 100)
rng = numpy.random.default_rng(1)
factors = scipy.sparse.random_array((FACTORS, ASSETS), density=0.5, rng=rng)
risks = rng.uniform(0, FACTORS**0.5, ASSETS)
returns = rng.standard_normal(ASSETS)
P = scipy.sparse.diags_array(numpy.concatenate([risks, numpy.ones(FACTORS)]), format="csc")
A = scipy.sparse.block_array([[factors, -scipy.sparse.eye_array(FACTORS)], [numpy.ones((1, ASSETS)), None],
                              [-scipy.sparse.eye_array(ASSETS), None]], format="csc")
b = numpy.concatenate([numpy.zeros(FACTORS), [1.0], numpy.zeros(ASSETS)])
cones = [clarabel.ZeroConeT(FACTORS + 1), clarabel.NonnegativeConeT(ASSETS)]
settings = clarabel.DefaultSettings()
settings.direct_solve_method = sys.argv[3]
settings.verbose = False
P, A = scipy.sparse.csc_matrix(P), scipy.sparse.csc_matrix(A)
times, solution = timed(lambda: clarabel.DefaultSolver(P, numpy.concatenate([-returns, numpy.zeros(FACTORS)]), A, b, cones, settings).solve(),
                          int(sys.argv[2]))
report(rows=sum(A.shape), status=str(solution.status), objective=solution.obj_val, iterations=solution.iterations, **times)
