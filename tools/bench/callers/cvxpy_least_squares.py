# SPDX-License-Identifier: BSD-3-Clause
"""Solves least squares with an L1 penalty, bounds and a second-order cone by CVXPY and Clarabel.
Usage: cvxpy_least_squares.py VARIABLES REPEATS METHOD"""
import sys

import cvxpy
import numpy
from loaded import report, timed

VARIABLES = int(sys.argv[1])
rng = numpy.random.default_rng(1)
A = rng.standard_normal((3 * VARIABLES // 2, VARIABLES))
b = rng.standard_normal(3 * VARIABLES // 2)
x = cvxpy.Variable(VARIABLES)
problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(A @ x - b) + 0.1 * cvxpy.norm1(x)), [x >= -0.2, cvxpy.norm(x[:10]) <= 0.5])
data = problem.get_problem_data(cvxpy.CLARABEL)[0]
times, _ = timed(lambda: problem.solve(solver=cvxpy.CLARABEL, direct_solve_method=sys.argv[3]), int(sys.argv[2]))
report(rows=sum(data["A"].shape), status=problem.status, objective=float(problem.value), iterations=problem.solver_stats.num_iters,
       **times)
