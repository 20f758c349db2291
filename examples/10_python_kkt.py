#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solves a quadratic program with equality constraints by its KKT system, with chosen pivots and with known signs of pivots.

minimize x' H x / 2 - q' x subject to C x = d has the optimality conditions [H, C'; C, 0] [x; y] = [q; d].
"""
import sys

try:
    import numpy as np
    from scipy import sparse

    import espalier
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

# A membrane under load has the least energy for which its height, on average over each cell of a grid, has a given value.
m, cell = 24, 6
line = sparse.diags([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], [-1, 0, 1])
H = sparse.kronsum(line, line, format="csc")
average = sparse.kron(sparse.identity(m // cell), np.full((1, cell), 1 / cell))
C = sparse.kron(average, average, format="csc")
n, constraints = m * m, C.shape[0]
q = np.full(n, 0.01)
d = np.cos(np.arange(constraints))

# Without signs, the factorization chooses its pivots, also for the block of zeros.
kkt = sparse.bmat([[H, C.T], [C, None]], format="csc")
right = np.concatenate([q, d])
factor = espalier.ldlt_factor(kkt)
solution = factor.solve(right)
x = solution[:n]

# With signs, it is faster: 1 for the rows of H and -1 for the constraints. Because the block of the constraints is zero, a small
# multiple of the signs is added to the diagonal. Refinement removes its effect on the solution, but the inertia is uncertain.
signs = np.concatenate([np.ones(n), -np.ones(constraints)])
try:
    with_signs = espalier.ldlt_factor(kkt, signs, regularization=(1e-8, 4.9e-32, 1e-13, 2e-7), refine=10)
except espalier.WrongPivotSignError as error:
    sys.exit(f"the matrix does not have these signs: {error}")

expected = np.linalg.solve(kkt.toarray(), right)
difference = max(abs(found - expected).max() for found in (solution, with_signs.solve(right))) / abs(expected).max()
violation = abs(C @ x - d).max()
print(f"energy {x @ (H @ x) / 2 - q @ x:.6f}, largest violation of a constraint {violation:.0e}")
print(f"backward error {factor.backward_error:.0e}, largest difference from NumPy {difference:.0e}")
print(f"chosen pivots: {factor.inertia}\nwith signs:    {with_signs.inertia}")
is_right = difference < 1e-10 and violation < 1e-10 and factor.inertia == (n, constraints, 0, "exact")
sys.exit(0 if is_right else 1)
