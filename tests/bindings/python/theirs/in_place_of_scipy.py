# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that replaces SciPy's direct solver by Espalier if a matrix is symmetric positive definite.

spsolve() returns Espalier's solution, in the type of SciPy's solution. splu() returns SciPy's object, because tests use its L and
U; Espalier factors the matrix, too. Both solutions must agree.
"""
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.linalg import _dsolve

import espalier

SMALL = 500  # maximum number of rows for which NumPy also checks whether a matrix is positive definite
own = {"spsolve": _dsolve.spsolve, "splu": _dsolve.splu}
calls = {"spsolve": 0, "splu": 0}
tests = set()
running = [""]


def factor_of(matrix):
    """Returns Espalier's factor, or None if the matrix is not real, symmetric and positive definite."""
    if not sparse.issparse(matrix) or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        return None
    if not np.can_cast(matrix.dtype, np.float64) or not np.isfinite(matrix.tocoo().data).all():
        return None
    if abs(matrix - matrix.T).nnz > 0:
        return None
    try:
        factor = espalier.cho_factor(matrix)
    except espalier.NotPositiveDefiniteError:
        factor = None
    if matrix.shape[0] <= SMALL:
        assert (np.linalg.eigvalsh(matrix.toarray()).min() > 1e-13 * abs(matrix).sum(axis=1).max()) == (factor is not None)
    return factor


def dense(x):
    return x.toarray() if sparse.issparse(x) else np.asarray(x)


def count(name):
    calls[name] += 1
    tests.add(running[0])


def agreed(ours, theirs, precision):
    """Returns Espalier's solution in the type of SciPy's. Fails if both differ."""
    ours = dense(ours).reshape(theirs.shape)
    np.testing.assert_allclose(ours, dense(theirs), rtol=0, atol=1e5 * np.finfo(precision).eps * abs(ours).max(initial=0))
    ours = ours.astype(theirs.dtype)
    return type(theirs)(ours) if sparse.issparse(theirs) else ours


def spsolve(A, b, *given, **named):
    theirs = own["spsolve"](A, b, *given, **named)
    factor = None if np.iscomplexobj(dense(b)) else factor_of(A)
    if factor is None:
        return theirs
    count("spsolve")
    return agreed(factor.solve(b), theirs, theirs.dtype)


def splu(A, *given, **named):
    theirs = own["splu"](A, *given, **named)
    factor = factor_of(A)
    if factor is not None:
        count("splu")
        b = np.linspace(1, 2, A.shape[0])
        agreed(factor.solve(b), theirs.solve(b.astype(A.dtype)), A.dtype)
    return theirs


for name, replaced in (("spsolve", spsolve), ("splu", splu)):
    for module in (_dsolve, _dsolve.linsolve, linalg):
        setattr(module, name, replaced)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    running[0] = item.name


def pytest_terminal_summary(terminalreporter, exitstatus):
    for test in sorted(tests):
        terminalreporter.write_line(f"espalier in {test}")
    terminalreporter.write_line(f"espalier did {calls['spsolve']} calls of spsolve and {calls['splu']} of splu")
    if exitstatus == 0 and 0 in calls.values():
        pytest.exit("these tests do not reach Espalier", returncode=1)
