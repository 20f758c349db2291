# SPDX-License-Identifier: BSD-3-Clause
"""What Espalier raises, and what it warns of."""

from __future__ import annotations

import numpy as np


class EspalierError(Exception):
    """The base of all errors that are Espalier's own."""


class UsageError(EspalierError, ValueError):
    """An argument, an option or a call is not allowed."""


class UnknownSchedulerError(UsageError):
    """StarPU does not know the scheduling policy; the message lists those that it knows."""


class InputError(EspalierError, ValueError):
    """Arrays or a file do not hold a symmetric matrix or a permutation."""


class OutOfMemoryError(EspalierError, MemoryError):
    """A factorization needs more memory than is allowed or available."""


class RuntimeFailure(EspalierError, RuntimeError):
    """StarPU or a device failed, or this process is a fork of one in which StarPU runs."""


class NotSupportedError(EspalierError, NotImplementedError):
    """Something that scikit-sparse has does not exist in Espalier."""


class UnsupportedTypeError(NotSupportedError, TypeError):
    """Numbers are of a type that double precision does not hold, complex ones for example."""


class NotPositiveDefiniteError(EspalierError, np.linalg.LinAlgError, ValueError):
    """The matrix is not positive definite; the factorization failed in `column`, counted from 0.

    That is the first column with a diagonal entry that is not positive, or one before it whose pivot failed; the leading
    principal minor that fails depends on the ordering.
    """

    def __init__(self, column: int):
        super().__init__(column)
        self.column = column

    def __str__(self) -> str:
        return f"the matrix is not positive definite: the pivot of column {self.column}, counted from 0, is not positive, or is below the rounding error"


class AccuracyWarning(RuntimeWarning):
    """A solution has a backward error above 1e-10."""
