# SPDX-License-Identifier: BSD-3-Clause
"""Solves a problem with CasADi's Ipopt. Usage: casadi_control.py PROBLEM SIZE REPEATS SOLVER [LIBRARY]

oscillator  optimal control of the Van der Pol oscillator, with SIZE intervals
heat        optimal control of a nonlinear elliptic equation on a grid with SIZE rows and columns
eigenvalue  the least eigenvalue of a matrix with SIZE rows; its Hessian is indefinite, so that Ipopt needs the inertia
"""
import sys

import casadi
import numpy
import scipy.sparse
from loaded import report, timed


def oscillator(intervals):
    x, u = casadi.MX.sym("x", 2, intervals + 1), casadi.MX.sym("u", 1, intervals)

    def slope(x):
        return casadi.vertcat((1 - x[1, :] ** 2) * x[0, :] - x[1, :] + u, x[0, :])

    step, old = 10 / intervals, x[:, :-1]
    lower = numpy.full((2, intervals + 1), -numpy.inf)
    lower[1, :-1] = -0.25
    upper = numpy.full((2, intervals + 1), numpy.inf)
    lower[:, 0] = upper[:, 0] = 0, 1
    controls = numpy.ones(intervals)
    return {"x": casadi.veccat(x, u), "f": step * (casadi.sumsqr(old) + casadi.sumsqr(u)),
            "g": casadi.vec(x[:, 1:] - old - step * slope(old + step / 2 * slope(old)))}, {
                "x0": 0, "lbg": 0, "ubg": 0, "lbx": numpy.concatenate([lower.T.ravel(), -0.75 * controls]),
                "ubx": numpy.concatenate([upper.T.ravel(), controls])}


def heat(m):
    width = 1 / (m + 1)
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(m, m))
    laplacian = casadi.DM(scipy.sparse.csc_matrix(scipy.sparse.kronsum(line, line)))
    y, u = casadi.MX.sym("y", m * m), casadi.MX.sym("u", m * m)
    place = numpy.pi * width * numpy.arange(1, m + 1)
    wanted = numpy.outer(numpy.sin(place), numpy.sin(2 * place)).ravel()
    bounds = numpy.concatenate([numpy.full(m * m, numpy.inf), numpy.full(m * m, 20)])
    return {"x": casadi.veccat(y, u), "f": width**2 / 2 * (casadi.sumsqr(y - wanted) + 1e-3 * casadi.sumsqr(u)),
            "g": laplacian @ y + width**2 * (y**3 - u)}, {"x0": 0, "lbg": 0, "ubg": 0, "lbx": -bounds, "ubx": bounds}


def eigenvalue(n):
    x = casadi.MX.sym("x", n)
    matrix = casadi.DM(numpy.diag(numpy.full(n, 2.0)) - numpy.eye(n, k=1) - numpy.eye(n, k=-1))
    return {"x": x, "f": casadi.bilin(matrix, x, x), "g": casadi.sumsqr(x)}, {"x0": numpy.cos(numpy.arange(n)), "lbg": 1, "ubg": 1}


options = {"linear_solver": sys.argv[4], "print_level": 0, "sb": "yes"}
if len(sys.argv) > 5:
    options["pardisolib"] = sys.argv[5]
problem, start = {"oscillator": oscillator, "heat": heat, "eigenvalue": eigenvalue}[sys.argv[1]](int(sys.argv[2]))
solver = casadi.nlpsol("solver", "ipopt", problem, {"print_time": False, "ipopt": options})
times, result = timed(lambda: solver(**start), int(sys.argv[3]))
report(rows=problem["x"].numel() + problem["g"].numel(), status=solver.stats()["return_status"], iterations=solver.stats()["iter_count"],
       objective=float(result["f"]), **times)
