# SPDX-License-Identifier: BSD-3-Clause
"""The interface of sksparse.cholmod in scikit-sparse 0.4: `import espalier.sksparse as cholmod`.

Updates of a factor by matrices of low rank raise NotSupportedError. A matrix that is not positive definite needs the argument
`signs`, with the known signs of its pivots: see espalier.ldlt_factor(). L' and D of A = L' D L'ᵀ are computed from L and its diagonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from . import _espalier
from ._factor import CholeskyFactor
from .errors import (
    AccuracyWarning,
    EspalierError,
    InputError,
    NotPositiveDefiniteError,
    NotSupportedError,
    OutOfMemoryError,
)

CholmodError = EspalierError
CholmodInvalidError = InputError
CholmodNotPositiveDefiniteError = NotPositiveDefiniteError
CholmodOutOfMemoryError = OutOfMemoryError
CholmodWarning = AccuracyWarning


class Factor(CholeskyFactor):
    """A factorization P A Pᵀ = L Lᵀ = L' D L'ᵀ, where L' has a unit diagonal. Calling the object solves A x = b."""

    def __call__(self, b: Any) -> Any:
        """Returns x of A x = b."""
        return self.solve(b)

    def cholesky(self, A: Any, beta: float = 0) -> "Factor":
        """Returns a new factor of A + beta I. A may have entries only where the analyzed matrix has some."""
        return self.copy().factorize(A, beta=beta)

    def cholesky_inplace(self, A: Any, beta: float = 0) -> None:
        """Makes this the factor of A + beta I."""
        self.factorize(A, beta=beta)

    def cholesky_AAt(self, A: Any, beta: float = 0) -> "Factor":
        """Returns a new factor of A Aᵀ + beta I."""
        return self.copy().factorize(A @ A.T, beta=beta)

    def cholesky_AAt_inplace(self, A: Any, beta: float = 0) -> None:
        """Makes this the factor of A Aᵀ + beta I."""
        self.factorize(A @ A.T, beta=beta)

    def copy(self) -> "Factor":
        """Returns a new factor of the same matrix. The matrix is analyzed and factored again, which takes as long as before."""
        other = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other

    def inv(self) -> sparse.csc_matrix:
        """Returns the inverse of A: see CholeskyFactor.inv(). It is a sparse matrix of SciPy instead of a sparse array."""
        return sparse.csc_matrix(super().inv())

    def update_inplace(self, C: Any, subtract: bool = False) -> None:
        """Raises NotSupportedError."""
        self.update(C)

    # ------------------------------------------------------------------ factors

    def P(self) -> np.ndarray:
        """Returns P as an array: A[P][:, P] is L Lᵀ."""
        return self.get_perm()

    def L(self) -> sparse.csc_matrix:
        """Returns L of L Lᵀ."""
        return sparse.csc_matrix(self.get_factor("LL", lower=True))

    def L_D(self) -> tuple[sparse.csc_matrix, sparse.dia_matrix]:
        """Returns L' and D."""
        unit, d = self.get_factor("LDL", lower=True)
        return sparse.csc_matrix(unit), sparse.dia_matrix(d)

    def LD(self) -> sparse.csc_matrix:
        """Returns L' with D in the place of its diagonal."""
        unit, d = self.L_D()
        return sparse.csc_matrix(unit - sparse.identity(self.N) + d)

    def D(self) -> np.ndarray:
        """Returns the diagonal of D."""
        return self._unit_pivots()

    # ------------------------------------------------------------------ solves

    def solve_A(self, b: Any) -> Any:
        """Returns x of A x = b."""
        return self.solve(b)

    def solve_LDLt(self, b: Any) -> Any:
        """Returns x of L' D L'ᵀ x = b."""
        return self.solve(b, "LDLt")

    def solve_L(self, b: Any, use_LDLt_decomposition: bool = True) -> Any:
        """Returns x of L' x = b, or of L x = b."""
        x = self.solve(b, "L")
        return self._scaled(x, 1) if use_LDLt_decomposition else x

    def solve_Lt(self, b: Any, use_LDLt_decomposition: bool = True) -> Any:
        """Returns x of L'ᵀ x = b, or of Lᵀ x = b."""
        return self.solve(self._scaled(b, 1) if use_LDLt_decomposition else b, "Lt")

    def solve_LD(self, b: Any) -> Any:
        """Returns x of L' D x = b."""
        return self._scaled(self.solve(b, "LD"), -1)

    def solve_DLt(self, b: Any) -> Any:
        """Returns x of D L'ᵀ x = b."""
        return self.solve(self._scaled(b, -1), "DLt")

    def solve_D(self, b: Any) -> Any:
        """Returns x of D x = b."""
        return self._scaled(self.solve(b, "D"), -2)

    def _scaled(self, b: Any, power: int) -> Any:
        """Returns b with each row multiplied by a power of the diagonal entry of L, which is the square root of the entry of |D|."""
        scale = self._diagonal() ** float(power)
        if sparse.issparse(b):
            return type(b)(sparse.diags(scale) @ b)
        return (np.asarray(b).T * scale).T

    def apply_P(self, b: Any) -> Any:
        """Returns P b."""
        return self._permuted(b, _espalier.System.p)

    def apply_Pt(self, b: Any) -> Any:
        """Returns Pᵀ b."""
        return self._permuted(b, _espalier.System.pt)

    def _permuted(self, b: Any, system: Any) -> Any:
        self._expect_numeric()
        return self._by_columns(b, lambda columns: self._part(system, columns))


def analyze(A: Any, mode: str = "auto", ordering_method: str = "default", use_long: bool | None = None, **options: Any) -> Factor:
    """Returns a factor with the analysis of A, before its first factorization.

    With check=False only the lower triangle of A is read. `use_long` has no effect.
    """
    return Factor(A, lower=True, order=ordering_method, supernodal_mode=mode, **options)


def analyze_AAt(A: Any, mode: str = "auto", ordering_method: str = "default", use_long: bool | None = None, **options: Any) -> Factor:
    """Returns a factor with the analysis of A Aᵀ, before its first factorization."""
    return analyze(A @ A.T, mode, ordering_method, use_long, **options)


def cholesky(
    A: Any, beta: float = 0, mode: str = "auto", ordering_method: str = "default", use_long: bool | None = None, **options: Any
) -> Factor:
    """Returns the factor of A + beta I."""
    factor = analyze(A, mode, ordering_method, use_long, **options)
    factor.factorize(A, beta=beta)
    return factor


def cholesky_AAt(
    A: Any, beta: float = 0, mode: str = "auto", ordering_method: str = "default", use_long: bool | None = None, **options: Any
) -> Factor:
    """Returns the factor of A Aᵀ + beta I."""
    return cholesky(A @ A.T, beta, mode, ordering_method, use_long, **options)
