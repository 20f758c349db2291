# SPDX-License-Identifier: BSD-3-Clause
"""Solves a problem with second-order cones by CVXPY and Clarabel. Usage: cvxpy_least_squares.py METHOD"""
import sys

import cvxpy
import numpy
from loaded import report

rng = numpy.random.default_rng(1)
A = rng.standard_normal((60, 40))
b = rng.standard_normal(60)
x = cvxpy.Variable(40)
problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(A @ x - b) + 0.1 * cvxpy.norm1(x)), [x >= -0.2, cvxpy.norm(x[:10]) <= 0.5])
problem.solve(solver=cvxpy.CLARABEL, direct_solve_method=sys.argv[1])
report(status=problem.status, objective=problem.value, iterations=problem.solver_stats.num_iters)
