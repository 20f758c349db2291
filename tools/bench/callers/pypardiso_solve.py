# SPDX-License-Identifier: BSD-3-Clause
"""Factors a symmetric matrix and solves with one right-hand side. Usage: pypardiso_solve.py MATRIX SIZE REPEATS pypardiso|scipy

laplacian  matrix type 2: a cube of SIZE^3 points
saddle     matrix type -2: Stokes' equations on a square of SIZE^2 cells; the diagonal of the pressure is zero
"""
import sys

import numpy
import scipy.sparse
import scipy.sparse.linalg
from loaded import report, timed


def line(m):
    return scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(m, m))


def laplacian(m):
    return 2, scipy.sparse.kronsum(scipy.sparse.kronsum(line(m), line(m)), line(m))


def saddle(m):
    difference = scipy.sparse.diags_array([-1.0, 1.0], offsets=[0, 1], shape=(m - 1, m))
    gradient = scipy.sparse.vstack([scipy.sparse.kron(scipy.sparse.eye_array(m), difference),
                                    scipy.sparse.kron(difference, scipy.sparse.eye_array(m))], format="csc")[:, :-1]
    pressures = gradient.shape[1]
    # PARDISO of MKL needs all diagonal entries.
    zeros = scipy.sparse.coo_array((numpy.zeros(pressures), (range(pressures), range(pressures))), shape=(pressures, pressures))
    viscosity = scipy.sparse.block_diag([scipy.sparse.kronsum(line(m - 1), line(m)), scipy.sparse.kronsum(line(m), line(m - 1))])
    return -2, scipy.sparse.block_array([[viscosity, gradient], [gradient.T, zeros]])


def with_pypardiso():
    import pypardiso  # fails if there is no MKL
    solver = pypardiso.PyPardisoSolver(mtype=mtype)
    solver.factorize(upper)
    solution = solver.solve(upper, b)
    solver.free_memory(everything=True)
    return solution


def with_scipy():
    return scipy.sparse.linalg.splu(matrix).solve(b)


mtype, matrix = {"laplacian": laplacian, "saddle": saddle}[sys.argv[1]](int(sys.argv[2]))
upper = scipy.sparse.csr_matrix(scipy.sparse.triu(matrix))
matrix = scipy.sparse.csc_matrix(matrix)
exact = numpy.cos(numpy.arange(float(matrix.shape[0])))
b = matrix @ exact
times, x = timed({"pypardiso": with_pypardiso, "scipy": with_scipy}[sys.argv[4]], int(sys.argv[3]))
report(rows=len(b), status="solved" if numpy.isfinite(x).all() else "not finite", iterations=None, objective=float(b @ x),
       error=float(numpy.abs(x - exact).max()), **times)
