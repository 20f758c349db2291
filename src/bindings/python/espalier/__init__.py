# SPDX-License-Identifier: BSD-3-Clause
"""Cholesky factorization A = L Lᵀ of sparse, symmetric positive definite matrices, on all cores of a machine.

Symmetric indefinite matrices have a factorization by :func:`ldlt_factor`.

>>> from espalier import cho_factor
>>> factor = cho_factor(A)
>>> x = factor.solve(b)

The interface is that of scikit-sparse 0.5. The module :mod:`espalier.sksparse` has the interface of scikit-sparse 0.4.
"""

from __future__ import annotations

import atexit
from typing import Any, Sequence

from . import _espalier
from ._factor import CholeskyFactor, Inertia, SeparatorTree
from ._page import RunPage, report
from .errors import (
    AccuracyWarning,
    EspalierError,
    InputError,
    NotPositiveDefiniteError,
    NotSupportedError,
    OutOfMemoryError,
    PivotError,
    RuntimeFailure,
    SingularMatrixError,
    UnknownSchedulerError,
    UnsupportedTypeError,
    UsageError,
    WrongPivotSignError,
)

__version__ = _espalier.version()
__all__ = [
    "AccuracyWarning",
    "CholeskyFactor",
    "EspalierError",
    "Inertia",
    "InputError",
    "NotPositiveDefiniteError",
    "NotSupportedError",
    "OutOfMemoryError",
    "PivotError",
    "RunPage",
    "RuntimeFailure",
    "SeparatorTree",
    "SingularMatrixError",
    "UnknownSchedulerError",
    "UnsupportedTypeError",
    "UsageError",
    "WrongPivotSignError",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "ldlt_factor",
    "report",
    "spsolve",
]


@atexit.register
def _end() -> None:
    """Waits for calls of daemon threads, and then shuts down StarPU."""
    _espalier.end_calls()
    _espalier.shut_down()


def cho_factor(
    A: Any,
    beta: float = 0.0,
    *,
    lower: bool = False,
    order: str | None = "default",
    sym_kind: str | None = None,
    supernodal_mode: str | None = None,
    check: bool = True,
    **options: Any,
) -> CholeskyFactor:
    """Analyzes and factors A + beta I. Parameters and errors are those of CholeskyFactor and CholeskyFactor.factorize()."""
    factor = CholeskyFactor(
        A, lower=lower, order=order, sym_kind=sym_kind, supernodal_mode=supernodal_mode, check=check, **options
    )
    return factor.factorize(A, beta=beta)


def cholesky(A: Any, beta: float = 0.0, *, lower: bool = False, order: str | None = "default", **options: Any) -> Any:
    """Returns (R, p) with Rᵀ R = A[p][:, p] + beta I, or (L, p) with L Lᵀ instead if `lower` is true.

    If `order` is None, it returns only R or L. Parameters and errors are those of cho_factor().
    """
    factor = cho_factor(A, beta, lower=lower, order=order, **options)
    matrix = factor.get_factor()
    return matrix if order is None else (matrix, factor.get_perm())


def ldlt_factor(
    A: Any,
    signs: Any = None,
    *,
    regularization: Sequence[float] | None = None,
    lower: bool = False,
    order: str | None = "default",
    check: bool = True,
    **options: Any,
) -> CholeskyFactor:
    """Analyzes and factors a symmetric indefinite matrix. Chooses the pivots, or uses the known signs of pivots.

    A symmetric matrix is quasi-definite if a permutation makes it [H, Bᵀ; B, -G] with positive definite H and G. Its pivots have
    known signs J in any order: 1 for the rows of H, and -1 for the rows of G. With these `signs`, the factorization is
    A[p][:, p] = L J Lᵀ, which is fastest. For other matrices, such as saddle points with G = 0, leave out `signs`. The factorization then
    scales the matrix, pairs columns by a weighted matching of the values, and chooses its pivots inside diagonal blocks. It
    replaces pivots that are too small, and refinement corrects the solutions; allow more steps by the option `refine`.

    Parameters
    ----------
    A : sparse matrix or array
        Matrix to factor, see CholeskyFactor. Missing diagonal entries count as zeros.
    signs : array or None
        Signs of the pivots: 1 or -1 for each row of A. None: the factorization chooses its pivots.
    regularization : four numbers or None
        Numbers c, p, t, r, at least 0, for a factorization with signs. Then A + (c + p max|a_jj|) J is factored instead of A, and a
        pivot d of column j with J_jj d <= t becomes J_jj r. If G is zero, give the numbers of Clarabel: (1e-8, 4.9e-32, 1e-13, 2e-7).
        Solutions are refined with A itself; allow enough steps by the option `refine`.
    lower, order, check, **options
        See CholeskyFactor. With matching=False, columns are not paired.

    The methods of the factor, such as solve(), slogdet() and factorize() for new values, are those of cho_factor(). The factor also
    has `inertia`, `growth` and `replaced_pivots`. If the factorization chose its pivots, L is not a triangle, so that get_factor() and the
    solves with L raise UsageError. The analysis then keeps a copy of the values of one triangle of A.

    Raises WrongPivotSignError if a pivot is zero or does not have the given sign. Raises SingularMatrixError if a factorization
    without signs shows that the matrix is singular to rounding. Other errors are those of CholeskyFactor and
    CholeskyFactor.factorize().
    """
    numbers = None if regularization is None else tuple(regularization)
    if options.setdefault("factorization", "ldlt") != "ldlt":
        raise UsageError(f"factorization is {options['factorization']!r}; leave it out, or call cho_factor()")
    factor = CholeskyFactor(A, lower=lower, order=order, check=check, signs=signs, regularization=numbers, **options)
    return factor.factorize(A)


def cho_solve(A: Any, b: Any, *, lower: bool = False, order: str | None = "default", **options: Any) -> Any:
    """Factors A and returns the solution x of A x = b: see CholeskyFactor.solve()."""
    return cho_factor(A, lower=lower, order=order, **options).solve(b)


def spsolve(A: Any, b: Any, **options: Any) -> Any:
    """Returns the result of cho_solve(). The name is that of scipy.sparse.linalg."""
    return cho_solve(A, b, **options)
