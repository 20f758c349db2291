#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds the eigenvalues of a vibrating plate in an interval: SciPy's eigsh() with Espalier as its solver, and a count by inertia.

A shifted matrix A - sigma I is indefinite, and the signs of its pivots are not known. So the factorization chooses its pivots.
"""
import sys

try:
    import numpy as np
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, eigsh

    import espalier
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def line(m):
    return sparse.diags([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], [-1, 0, 1])


def line_eigenvalues(m):
    return 4 * np.sin(np.arange(1, m + 1) * np.pi / (2 * (m + 1))) ** 2


m, k = 61, 47
A = sparse.kronsum(line(m), line(k), format="csc")
known = np.sort(np.add.outer(line_eigenvalues(k), line_eigenvalues(m)).ravel())
first, last = 1.0, 1.08

# By Sylvester's law of inertia, A - sigma I has one negative eigenvalue for each eigenvalue of A below sigma.
identity = sparse.identity(A.shape[0], format="csc")
factor = espalier.ldlt_factor(A - first * identity)
below_first = factor.inertia
below_last = factor.factorize(A, beta=-last).inertia  # the same pattern, in the same memory
count = below_last.negative - below_first.negative
print(f"{count} eigenvalues from {first} to {last}; {below_first.status} and {below_last.status}")

sigma = (first + last) / 2
factor.factorize(A, beta=-sigma)
inverse = LinearOperator(A.shape, matvec=factor.solve, dtype=float)
found, vectors = eigsh(A, k=count, sigma=sigma, OPinv=inverse)
expected = known[(known > first) & (known < last)]
difference = abs(np.sort(found) - expected).max() if len(expected) == count else np.inf
residual = np.linalg.norm(A @ vectors - vectors * found, axis=0).max()
print(f"largest difference from the known eigenvalues {difference:.0e}, largest residual {residual:.0e}")
is_right = difference < 1e-10 and residual < 1e-10 and {below_first.status, below_last.status} == {"exact"}
sys.exit(0 if is_right else 1)
