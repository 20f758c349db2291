# SPDX-License-Identifier: BSD-3-Clause
"""Solves an optimal-control problem and an eigenvalue problem with CasADi's Ipopt. The Hessian of the second one is indefinite, so that
Ipopt needs the inertia. Usage: casadi_control.py SOLVER [LIBRARY]"""
import sys

import casadi
import numpy
from loaded import report

OPTIONS = {"linear_solver": sys.argv[1], "print_level": 0, "sb": "yes"}
if len(sys.argv) > 2:
    OPTIONS["pardisolib"] = sys.argv[2]


def van_der_pol(intervals):
    x, u = casadi.MX.sym("x", 2), casadi.MX.sym("u")
    slope = casadi.Function("slope", [x, u], [casadi.vertcat((1 - x[1] ** 2) * x[0] - x[1] + u, x[0])])
    problem = casadi.Opti()
    states, controls = problem.variable(2, intervals + 1), problem.variable(1, intervals)
    step, cost = 10 / intervals, 0
    problem.subject_to(states[:, 0] == casadi.vertcat(0, 1))
    for k in range(intervals):
        middle = states[:, k] + step / 2 * slope(states[:, k], controls[k])
        problem.subject_to(states[:, k + 1] == states[:, k] + step * slope(middle, controls[k]))
        problem.subject_to(problem.bounded(-0.75, controls[k], 1))
        problem.subject_to(states[1, k] >= -0.25)
        cost += step * (casadi.sumsqr(states[:, k]) + controls[k] ** 2)
    problem.minimize(cost)
    problem.solver("ipopt", {"print_time": False}, OPTIONS)
    solution = problem.solve()
    return problem.stats(), float(solution.value(problem.f))


def least_eigenvalue(n):
    x = casadi.MX.sym("x", n)
    matrix = casadi.DM(numpy.diag(numpy.full(n, 2.0)) - numpy.eye(n, k=1) - numpy.eye(n, k=-1))
    solve = casadi.nlpsol("solve", "ipopt", {"x": x, "f": casadi.bilin(matrix, x, x), "g": casadi.sumsqr(x)},
                          {"print_time": False, "ipopt": OPTIONS})
    result = solve(x0=numpy.cos(numpy.arange(n)), lbg=1, ubg=1)
    return solve.stats(), float(result["f"])


outcomes = [van_der_pol(60), least_eigenvalue(30)]
report(status=[stats["return_status"] for stats, _ in outcomes], iterations=[stats["iter_count"] for stats, _ in outcomes],
       objective=[value for _, value in outcomes])
