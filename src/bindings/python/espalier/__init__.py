# SPDX-License-Identifier: BSD-3-Clause
"""Cholesky factorization A = L Lᵀ of sparse, symmetric positive definite matrices, on all cores of a machine.

>>> from espalier import cho_factor
>>> factor = cho_factor(A)
>>> x = factor.solve(b)

The interface is that of scikit-sparse 0.5. The module :mod:`espalier.sksparse` has the interface of scikit-sparse 0.4.
"""

from __future__ import annotations

import atexit
from typing import Any

from . import _espalier
from ._factor import CholeskyFactor
from ._page import RunPage, report
from .errors import (
    AccuracyWarning,
    EspalierError,
    InputError,
    NotPositiveDefiniteError,
    NotSupportedError,
    OutOfMemoryError,
    RuntimeFailure,
    UnknownSchedulerError,
    UnsupportedTypeError,
    UsageError,
)

__version__ = _espalier.version()
__all__ = [
    "AccuracyWarning",
    "CholeskyFactor",
    "EspalierError",
    "InputError",
    "NotPositiveDefiniteError",
    "NotSupportedError",
    "OutOfMemoryError",
    "RunPage",
    "RuntimeFailure",
    "UnknownSchedulerError",
    "UnsupportedTypeError",
    "UsageError",
    "cho_factor",
    "cho_solve",
    "cholesky",
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


def cho_solve(A: Any, b: Any, *, lower: bool = False, order: str | None = "default", **options: Any) -> Any:
    """Factors A and returns the solution x of A x = b: see CholeskyFactor.solve()."""
    return cho_factor(A, lower=lower, order=order, **options).solve(b)


def spsolve(A: Any, b: Any, **options: Any) -> Any:
    """Returns the result of cho_solve(). The name is that of scipy.sparse.linalg."""
    return cho_solve(A, b, **options)
