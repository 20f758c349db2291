#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds all eigenvalues of a grid's Laplacian in an interval by SLEPc's spectrum slicing, with Espalier as the solver of PETSc.

Spectrum slicing counts the eigenvalues by the inertia of A - sigma I, whose factorization has to choose its pivots. Started by mpirun on
several ranks, each rank factors the whole matrix and searches a part of the interval. With -eps_krylovschur_partitions 1, all ranks
factor the matrix together; then preload libespalier_petsc.so. ESPALIER_PETSC names this library.
"""
import os
import sys

try:
    import numpy as np
    import slepc4py
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

plugin = os.environ.get("ESPALIER_PETSC", "libespalier_petsc.so")
solver = "-st_ksp_type preonly -st_pc_type cholesky -st_pc_factor_mat_solver_type espalier"
pivots = "-st_mat_espalier_factorization ldlt -st_mat_espalier_workers 1"
slepc4py.init([sys.argv[0], "-dll_append", plugin, *solver.split(), *pivots.split(), *sys.argv[1:]])
from petsc4py import PETSc  # noqa: E402
from slepc4py import SLEPc  # noqa: E402

m, k = 31, 23
first, last = 1.0, 1.5


def line_eigenvalues(m):
    return 4 * np.sin(np.arange(1, m + 1) * np.pi / (2 * (m + 1))) ** 2


A = PETSc.Mat().createAIJ((m * k, m * k), nnz=5, comm=PETSc.COMM_WORLD)
for row in range(*A.getOwnershipRange()):
    A[row, row] = 4
    for column, is_near in ((row - 1, row % m > 0), (row + 1, row % m < m - 1), (row - m, row >= m), (row + m, row < m * k - m)):
        if is_near:
            A[row, column] = -1
A.assemble()

eps = SLEPc.EPS().create(PETSc.COMM_WORLD)
eps.setOperators(A)
eps.setProblemType(SLEPc.EPS.ProblemType.HEP)
eps.setType(SLEPc.EPS.Type.KRYLOVSCHUR)
eps.setWhichEigenpairs(SLEPc.EPS.Which.ALL)
eps.setInterval(first, last)
eps.getST().setType(SLEPc.ST.Type.SINVERT)
eps.setKrylovSchurPartitions(PETSc.COMM_WORLD.size)
eps.setFromOptions()
eps.solve()

known = np.sort(np.add.outer(line_eigenvalues(k), line_eigenvalues(m)).ravel())
expected = known[(known > first) & (known < last)]
shifts, inertias = eps.getKrylovSchurInertias()
counted = inertias[-1] - inertias[0]
found = np.sort([eps.getEigenvalue(i).real for i in range(eps.getConverged())])
difference = abs(found - expected).max() if len(found) == len(expected) else np.inf
PETSc.Sys.Print(f"{counted} eigenvalues by the inertia at {len(shifts)} shifts, {len(found)} found, {len(expected)} known")
PETSc.Sys.Print(f"largest difference from the known eigenvalues {difference:.0e}")
sys.exit(0 if counted == len(found) == len(expected) and difference < 1e-8 else 1)
