# SPDX-License-Identifier: BSD-3-Clause
"""Espalier factors sparse, symmetric positive definite matrices, A = L Lᵀ, on all cores of a machine.

>>> from espalier import cho_factor
>>> factor = cho_factor(A)
>>> x = factor.solve(b)

The interface is that of scikit-sparse 0.5; :mod:`espalier.sksparse` has that of 0.4, too.
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
    """Lets calls of daemon threads end, and StarPU after them."""
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
    """Analyzes and factors A + beta I. Parameters and errors are those of CholeskyFactor and its factorize()."""
    factor = CholeskyFactor(
        A, lower=lower, order=order, sym_kind=sym_kind, supernodal_mode=supernodal_mode, check=check, **options
    )
    return factor.factorize(A, beta=beta)


def cholesky(A: Any, beta: float = 0.0, *, lower: bool = False, order: str | None = "default", **options: Any) -> Any:
    """Returns (R, p), with Rᵀ R = A[p][:, p] + beta I, or (L, p) where `lower` is true; without p where `order` is None. It
    takes what cho_factor() takes."""
    factor = cho_factor(A, beta, lower=lower, order=order, **options)
    matrix = factor.get_factor()
    return matrix if order is None else (matrix, factor.get_perm())


def cho_solve(A: Any, b: Any, *, lower: bool = False, order: str | None = "default", **options: Any) -> Any:
    """Factors A and returns x of A x = b, as CholeskyFactor.solve() does."""
    return cho_factor(A, lower=lower, order=order, **options).solve(b)


def spsolve(A: Any, b: Any, **options: Any) -> Any:
    """Does what cho_solve() does, by the name that scipy.sparse.linalg has for it."""
    return cho_solve(A, b, **options)
