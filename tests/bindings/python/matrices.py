# SPDX-License-Identifier: BSD-3-Clause
"""Matrices for the tests, and bounds on rounding errors."""
import numpy as np
from scipy import sparse


def laplace2d(m):
    """Returns the five-point Laplacian of an m-by-m grid, as CSC. Its condition number is about m²."""
    line = sparse.diags([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], [-1, 0, 1])
    eye = sparse.identity(m)
    return (sparse.kron(line, eye) + sparse.kron(eye, line)).tocsc()


def random_spd(n, seed):
    """Returns a random symmetric, diagonally dominant matrix, as CSC."""
    random = sparse.random(n, n, density=3.0 / n, random_state=np.random.RandomState(seed))
    pattern = abs(random + random.T)
    return (pattern + sparse.diags(np.asarray(pattern.sum(axis=1)).ravel() + 1)).tocsc()


def tolerance(a):
    """Returns the largest backward error that rounding may cause for a dense or sparse n-by-n matrix."""
    return 20 * (a.shape[0] + 1) * np.finfo(float).eps


def backward_error(a, x, b):
    """Returns the largest backward error max|b-Ax| / (‖A‖∞ max|x| + max|b|) of the columns."""
    a = np.asarray(a.todense()) if sparse.issparse(a) else a
    x, b = x.reshape(len(x), -1), b.reshape(len(b), -1)
    scale = abs(a).sum(axis=1).max() * abs(x).max(axis=0) + abs(b).max(axis=0)
    return (abs(b - a @ x).max(axis=0) / scale).max()
