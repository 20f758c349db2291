#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solves heat conduction in a plate, for growing time steps with one analysis."""
import sys

try:
    import numpy as np
    from scipy import sparse

    import espalier
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

m = 200
line = sparse.diags([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], [-1, 0, 1])
laplace = sparse.kronsum(line, line, format="csc")
heat = np.zeros((m, m))
heat[m // 4 : m // 2, m // 4 : m // 2] = 1.0
temperature = heat.ravel()

# The pattern is analyzed once; each step has other values.
factor = espalier.CholeskyFactor(laplace)
for step in (1.0, 10.0, 100.0):
    try:
        factor.factorize(step * laplace, beta=1.0)  # (I + step * laplace) x = temperature
    except espalier.NotPositiveDefiniteError as error:
        sys.exit(f"not positive definite: {error}")
    temperature = factor.solve(temperature)
    print(f"step {step:5.0f}: warmest {temperature.max():.4f}, backward error {factor.backward_error:.0e}")

print(factor)
print(f"log-determinant {factor.logdet():.6e}")
sys.exit(0 if factor.backward_error < 1e-12 else 1)
