# SPDX-License-Identifier: BSD-3-Clause
"""Solves symmetric systems with PyPardiso, and an unsymmetric one, which must fail."""
import numpy
import pypardiso
import scipy.sparse
from loaded import report

line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(30, 30))
grid = scipy.sparse.csr_matrix(scipy.sparse.kronsum(line, line))
errors = []
for mtype, matrix in ((2, grid), (-2, grid - 0.7 * scipy.sparse.eye(900))):
    solver = pypardiso.PyPardisoSolver(mtype=mtype)
    upper = scipy.sparse.csr_matrix(scipy.sparse.triu(matrix))
    exact = numpy.cos(numpy.arange(2 * 900.0)).reshape(900, 2)
    solver.factorize(upper)
    errors.append(float(numpy.abs(solver.solve(upper, matrix @ exact) - exact).max()))
    solver.free_memory(everything=True)
try:
    pypardiso.spsolve(grid, numpy.ones(900))
    refusal = ""
except pypardiso.pardiso_wrapper.PyPardisoError as error:
    refusal = str(error)
report(errors=errors, refusal=refusal)
