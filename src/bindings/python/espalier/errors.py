# SPDX-License-Identifier: BSD-3-Clause
"""Errors and warnings of Espalier."""

from __future__ import annotations

import numpy as np

from . import _espalier


class EspalierError(Exception):
    """Base class of all errors of Espalier."""


class UsageError(EspalierError, ValueError):
    """An argument, an option or a call is not allowed."""


class UnknownSchedulerError(UsageError):
    """StarPU does not know the scheduling policy; the message lists the known policies."""


class InputError(EspalierError, ValueError):
    """An array or a file does not hold a valid symmetric matrix, permutation or right-hand side."""


class OutOfMemoryError(EspalierError, MemoryError):
    """A factorization or a solve needs more memory than the limit allows or the machine has free."""


class RuntimeFailure(EspalierError, RuntimeError):
    """StarPU or a device failed, or this process was forked after StarPU had started."""


class NotSupportedError(EspalierError, NotImplementedError):
    """Espalier does not support a function of scikit-sparse, or a kind of matrix."""


class UnsupportedTypeError(NotSupportedError, TypeError):
    """Values have a type that cannot be converted to double precision without loss, such as complex numbers."""


class PivotError(EspalierError, np.linalg.LinAlgError, ValueError):
    """A factorization failed at a pivot; `column` is the column of the matrix, counted from 0. Pivots depend on the ordering."""

    _is_signed = False

    def __init__(self, column: int):
        super().__init__(column)
        self.column = column

    def __str__(self) -> str:
        return _espalier.failed_pivot(self.column, self._is_signed)


class NotPositiveDefiniteError(PivotError):
    """The matrix is not positive definite; `column` shows it, counted from 0.

    It is the first column whose diagonal entry is not positive, or an earlier column whose pivot is not positive.
    """


class WrongPivotSignError(PivotError):
    """The matrix does not have the given signs: the pivot of `column`, counted from 0, is zero or has the other sign."""

    _is_signed = True


class SingularMatrixError(PivotError):
    """A factorization that chooses its pivots shows that the matrix is singular to rounding.

    The pivot of `column`, counted from 0, is too small.
    """

    def __str__(self) -> str:
        return _espalier.singular_pivot(self.column)


class AccuracyWarning(RuntimeWarning):
    """A solution has a backward error above 1e-10."""
