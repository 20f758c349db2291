# SPDX-License-Identifier: BSD-3-Clause
"""The factor, with the interface of scikit-sparse 0.5."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, NamedTuple

import numpy as np
from scipy import sparse

from . import _espalier
from ._matrix import as_doubles, as_signs, compared_triangle, compressed_form, expect_finite, pattern_of, triangle_on
from ._page import facts_table, readable_bytes
from ._progress import progress_of
from .errors import (
    AccuracyWarning,
    NotPositiveDefiniteError,
    NotSupportedError,
    SingularMatrixError,
    UsageError,
    WrongPivotSignError,
)

ACCEPTED_BACKWARD_ERROR = 1e-10
# Number of sparse right-hand sides per block; one pass over L serves one block.
BLOCK = 64

# Names of scikit-sparse. Names of Espalier are not translated.
_ORDERINGS = {
    None: "natural",
    "best": "auto",
    "colamd": "amd",
    "default": "auto",
    "nesdis": "dissection",
    "postordered": "natural",
}
_MODES = (None, "auto", "simplicial", "supernodal")


def _option_texts(options: dict[str, Any]) -> list[str]:
    """Returns options as texts that the library reads, such as "memory-limit=1000000" for memory_limit=1e6.

    Options that are None are left out. An underscore at the end of a name, as in ``as_``, has no meaning. A list gives the option
    several times. A tuple gives numbers with commas between them.
    """
    texts = []
    for name, given in options.items():
        for value in given if isinstance(given, list) else [given]:
            if isinstance(value, tuple):
                value = ",".join(str(number) for number in value)
            elif isinstance(value, bool):
                value = int(value)
            elif isinstance(value, float) and value.is_integer():
                value = int(value)
            if value is not None:
                texts.append(f"{name.rstrip('_').replace('_', '-')}={value}")
    return texts


class Inertia(NamedTuple):
    """Numbers of eigenvalues of a matrix by their signs.

    `status` is "exact", or "uncertain" if the regularization changed the matrix, or if rounding errors and replaced pivots could make
    it singular.
    """

    positive: int
    negative: int
    zero: int
    status: str


class SeparatorTree(NamedTuple):
    """Fill-reducing order of the columns with the separators and leaves of nested dissection.

    `order` has the column of A at each position. Part k has the positions from first[k] up to, but without, end[k]. Its parent is a
    part with a larger number, or -1 for the last part, which is the root. There is one part if the ordering does not dissect, and
    none if it merges no columns, like "natural".
    """

    order: np.ndarray
    parent: np.ndarray
    first: np.ndarray
    end: np.ndarray


class CholeskyFactor:
    """The factor L of P A Pᵀ = L Lᵀ, for a sparse, symmetric positive definite matrix A, or of P A Pᵀ = L J Lᵀ with signs J.

    CholeskyFactor(A) only analyzes the pattern of A. :meth:`factorize` computes L; call it again for new values.

    Parameters
    ----------
    A : sparse matrix or array
        Matrix to factor. If both triangles have entries, each entry must equal its mirror to 1e-10 of the larger one. If only
        one triangle has entries off the diagonal, that triangle is used.
    lower : bool
        Whether :meth:`get_factor` returns L instead of R = Lᵀ by default. With check=False, also the triangle of A that is read:
        the lower one (True) or the upper one (False).
    check : bool
        Whether both triangles are compared. If False, only the triangle that `lower` names is read, even if it has only the
        diagonal. `backward_error` is then that of the symmetric matrix with this triangle.
    order : str or None
        Ordering. Names of scikit-sparse are "default", "best", "natural" or None, "amd", "colamd", "metis", "nesdis" and
        "postordered". Names of Espalier are "auto", "dissection", "scotch", "metis", "amd", "natural", or the path of a
        permutation file. With "default" and "best" Espalier chooses the ordering, as with "auto"; "best" expects 100
        factorizations. With None and "natural", A is not reordered: L Lᵀ = A.
    sym_kind : {None, "sym", "row", "col"}
        Matrix that is factored: A Aᵀ for "row", Aᵀ A for "col", and A otherwise.
    supernodal_mode : {None, "auto", "simplicial", "supernodal"}
        Has no effect: Espalier always uses supernodes.
    signs : array or None
        Signs of the pivots, 1 or -1 for each row of A. With signs, P A Pᵀ = L J Lᵀ: see :func:`ldlt_factor`. If there are no
        signs and the option `factorization` is "ldlt", the factorization chooses its pivots. The analysis then uses the values of A,
        to pair columns, unless matching=False. With "auto", pivots are chosen only if there is no L Lᵀ.
    progress : bool or None
        Whether factorizations show their elapsed time. None: only on a terminal or in a notebook, if the factorization takes over
        two seconds or is predicted to. True: always; without a terminal or notebook, one line is written to stderr at the end.
        False: never.
    previous : CholeskyFactor or None
        Factor of a matrix that has almost the same entries. Its order is reused for the parts of the matrix that have not changed.
        This saves most of the time of the ordering "dissection"; with other orderings, an order is reused only if no entry has
        changed. If too much has changed, the matrix is ordered anew.
    previous_column : array or None
        For each column of A, its number in the previous matrix, or -1 for new columns. None: the numbers are equal.
    **options
        Options of the program `espalier`, with underscores instead of hyphens: workers, sched, sched_option, memory_limit,
        granularity, deterministic, refine, ``as_`` (for `--as`) and others. With ``as_`` and the default order, the paper's ordering is
        used. All factors share one StarPU. While another factor exists, this one uses the workers that are running, and sched
        must not differ.

    Several threads may use one factor; they wait for each other. A factor can be pickled. The pickle holds A and the options.
    Loading computes L again, which takes as long as the first time.
    """

    def __init__(
        self,
        A: Any,
        *,
        lower: bool = False,
        order: str | None = "default",
        sym_kind: str | None = None,
        supernodal_mode: str | None = None,
        check: bool = True,
        signs: Any = None,
        progress: bool | None = None,
        previous: "CholeskyFactor | None" = None,
        previous_column: Any = None,
        **options: Any,
    ):
        if supernodal_mode not in _MODES:
            raise UsageError(f"supernodal_mode is {supernodal_mode!r}, which is not one of {_MODES[1:]}")
        self.is_lower = bool(lower)
        self.sym_kind = sym_kind or "sym"
        self.check = bool(check)
        self.progress = progress
        if order == "best":
            options.setdefault("factorizations", 100)
        if order != "default" or options.get("as_") is None:
            options.setdefault("ordering", _ORDERINGS.get(order, order))
        if signs is not None and options.setdefault("factorization", "ldlt") != "ldlt":
            raise UsageError(f"factorization is {options['factorization']!r}; leave it out, or give no signs")
        if signs is None and options.get("factorization") == "ldlt":
            options.setdefault("matching", True)
        self._options = options
        self._signs = signs
        self._keeps_order = options.get("ordering") == "natural" and order != "postordered" and not self._chooses_pivots
        matrix, upper = compressed_form(A, self.is_lower, sym_kind)
        triangle = pattern_of(matrix, upper, self.check)
        if options.get("matching"):
            triangle = triangle_on(triangle, matrix, triangle.upper)
        self._signs = None if signs is None else as_signs(signs, triangle.n)
        self._analyze(triangle, previous, previous_column)

    def _analyze(self, triangle: Any, previous: "CholeskyFactor | None" = None, previous_column: Any = None) -> None:
        self._triangle = triangle
        texts = _option_texts(self._options)
        if previous is None and previous_column is not None:
            raise UsageError("previous_column needs the factor `previous`")
        core = None if previous is None else previous._core
        columns = None if previous_column is None else np.ascontiguousarray(previous_column, dtype=np.int32)
        self._core = _espalier.Factor(
            triangle.begin, triangle.row, triangle.value, triangle.upper, texts, self._keeps_order, core, columns
        )
        if self._signs is not None:
            self._core.set_signs(self._signs)
        self._forget(False)

    def _forget(self, is_numeric: bool) -> None:
        """Clears the values that were computed from the previous L. `is_numeric` is whether a new L exists.

        Each attribute is set only once, because other threads may call solve() at the same time.
        """
        self.is_numeric = is_numeric
        self.backward_error: float | None = None
        self._kept: dict[str, Any] = {}

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def _expect_numeric(self) -> None:
        if not self.is_numeric:
            raise UsageError("the matrix is not factored yet; call factorize(A) first")

    @property
    def _chooses_pivots(self) -> bool:
        return self._signs is None and self._options.get("factorization") in ("ldlt", "auto")

    # ------------------------------------------------------------------ computations

    def set_signs(self, signs: Any) -> None:
        """Sets other signs of the pivots, for a factor that was made with signs. There is no L until the next factorize().

        Raises UsageError if the factor has no signs, or unless there is a sign 1 or -1 for each row.
        """
        if self._signs is None:
            raise UsageError("the factor was made without signs; make another one by ldlt_factor()")
        given = as_signs(signs, self.N)
        self._core.set_signs(given)
        self._signs = given
        self._forget(False)

    def factorize(
        self, A: Any, ldl: bool | None = None, beta: float = 0.0, *, progress: bool | None = None
    ) -> "CholeskyFactor":
        """Factors A + beta I and returns this factor. If `progress` is given, it replaces that of the constructor.

        A may have entries only where the analyzed matrix has some. During the factorization, the lock of the interpreter is
        released. Ctrl-C takes effect at the end of the factorization.

        Raises InputError if both triangles have entries and differ, unless check=False was given to the constructor. Raises
        NotPositiveDefiniteError if the matrix is not positive definite, WrongPivotSignError if a pivot is zero or does not have
        the given sign, or SingularMatrixError if the factorization chooses its pivots and the matrix is singular to rounding; the
        factor then does not exist until the next success. Raises OutOfMemoryError if the predicted memory exceeds `memory_limit` or the free
        memory. Raises NotSupportedError if `ldl` is true for a factor of L Lᵀ.
        """
        if ldl and self.is_ll:
            raise NotSupportedError("this factor is for positive definite matrices; make one for LDLᵀ by ldlt_factor()")
        matrix, upper = compressed_form(A, self.is_lower, self.sym_kind)
        if self.check and self.sym_kind == "sym":
            upper = compared_triangle(matrix, upper)
        known = self._matrix_of(matrix, upper, float(beta))
        self._compute(known, self.progress if progress is None else progress)
        return self

    def _matrix_of(self, matrix: Any, upper: bool, beta: float) -> Any:
        """Returns the matrix + beta I as an object of the core. A matrix with the analyzed pattern is converted in one fast pass."""
        known = self._triangle
        if beta == 0 and upper == known.upper:
            values = as_doubles(matrix.data, "the matrix")
            found = self._core.matrix_of(matrix.indptr.astype(np.int64), matrix.indices, values, upper)
            if found is not None:
                return found
        return self._core.matrix_of(triangle_on(known, matrix, upper).plus_diagonal(beta).value)

    def _compute(self, matrix: Any, progress: bool | None) -> None:
        _espalier.expect_own_runtime()
        try:
            with progress_of("factorization", progress, self._core.prepare):
                column = self._core.factorize(matrix)
        except BaseException:
            self._forget(False)
            raise
        self._forget(column < 0)
        if column >= 0:
            if self._chooses_pivots:
                raise SingularMatrixError(column)
            raise NotPositiveDefiniteError(column) if self._signs is None else WrongPivotSignError(column)

    def solve(self, b: Any, system: str = "A") -> Any:
        """Returns x of A x = b in the type of b: an array with one or two dimensions, or a sparse matrix.

        With the `system` "A", x is refined, and its error is stored in `backward_error`. If the error is above 1e-10, there is an
        AccuracyWarning. The other systems are those of scikit-sparse, in the numbering of L: "L", "LD", "Lt", "DLt", "D", and
        "LDLt" for L D Lᵀ. D has the signs of the pivots; it is the identity for a factor without signs. A sparse result has few
        zeros; it needs 12 bytes per entry. Raises InputError if b has NaN or infinity. Raises UsageError for a system other than
        "A" if the factorization chose its pivots, because L then is not a triangle.
        """
        systems: dict[str, Callable[[np.ndarray], np.ndarray]] = {
            "A": self._solve_refined,
            "L": self._solve_l,
            "LD": lambda block: self._solve_d(self._solve_l(block)),
            "Lt": self._solve_lt,
            "DLt": lambda block: self._solve_lt(self._solve_d(block)),
            "LDLt": lambda block: self._solve_lt(self._solve_d(self._solve_l(block))),
            "D": self._solve_d,
        }
        if system not in systems:
            raise UsageError(f"system is {system!r}, which is not one of {', '.join(systems)}")
        self._expect_numeric()
        expect_finite(b, "b")
        return self._by_columns(b, systems[system])

    def _by_columns(self, b: Any, step: Callable[[np.ndarray], np.ndarray]) -> Any:
        """Applies a step to b of any kind. The step receives columns and returns the same number of columns."""
        is_sparse = sparse.issparse(b)
        if not is_sparse:
            b = np.asarray(b)
        if b.ndim not in (1, 2):
            raise UsageError(f"b has {b.ndim} dimensions; give one vector, or a matrix with vectors as columns")
        if b.shape[0] != self.N:
            raise UsageError(f"b has the shape {b.shape}, but its vectors need {self.N} entries")
        if is_sparse and b.ndim == 2:
            blocks = b.tocsc()
            solved = [
                sparse.csc_matrix(step(self._columns(blocks[:, first : first + BLOCK].toarray())))
                for first in range(0, b.shape[1], BLOCK)
            ]
            return type(b)(sparse.hstack(solved) if solved else b.astype(np.float64))
        columns = self._columns((b.toarray() if is_sparse else b).reshape(self.N, -1 if b.size else b.size))
        x = step(columns).reshape(b.shape) if b.size else np.zeros(b.shape)
        return type(b)(x) if is_sparse else x

    @staticmethod
    def _columns(b: np.ndarray) -> np.ndarray:
        return np.asfortranarray(as_doubles(b, "b"))

    def _solve_refined(self, b: np.ndarray) -> np.ndarray:
        x = np.empty_like(b, order="F")
        self.backward_error = self._core.solve(b, x)
        if not self.backward_error <= ACCEPTED_BACKWARD_ERROR:
            text = f"the backward error of the solution is {self.backward_error:.1e}, above {ACCEPTED_BACKWARD_ERROR:.0e}"
            warnings.warn(text, AccuracyWarning, stacklevel=4)
        return x

    def _part(self, system: Any, b: np.ndarray) -> np.ndarray:
        if self._keeps_order:
            if system in (_espalier.System.p, _espalier.System.pt):
                return b.copy()
            b = b[self._core.permutation()]
        x = np.empty_like(b, order="F")
        self._core.solve_part(system, np.asfortranarray(b), x)
        return self._in_order(x)

    def _in_order(self, of_columns: np.ndarray) -> np.ndarray:
        """Returns values of the core, one per column of its L, in the order of the columns of this factor.

        With a natural ordering, the core factors in a postorder of the elimination tree. Its L is the L of this factor with
        rows and columns renumbered.
        """
        return of_columns[np.argsort(self._core.permutation())] if self._keeps_order else of_columns

    def _solve_l(self, b: np.ndarray) -> np.ndarray:
        return self._part(_espalier.System.l, b)

    def _solve_lt(self, b: np.ndarray) -> np.ndarray:
        return self._part(_espalier.System.lt, b)

    def _solve_d(self, b: np.ndarray) -> np.ndarray:
        self._diagonal()  # raises UsageError if the factorization chose its pivots
        return self._signs_of_columns()[:, np.newaxis] * b

    def _signs_of_columns(self) -> np.ndarray:
        """Returns the signs J in the order of L; ones for a factor without signs."""
        return np.ones(self.N) if self._signs is None else self._signs[self.perm].astype(np.float64)

    def inv(self) -> sparse.csc_array:
        """Returns the inverse of A. Few of its entries are zero. Cost: one solve per column, and 12 n² bytes."""
        return self.solve(sparse.csc_array(sparse.identity(self.N, format="csc")))

    def logdet(self) -> float:
        """Returns the natural logarithm of the magnitude of the determinant of A, which never overflows: -inf if A is singular except for
        rounding errors. Cost O(n)."""
        return self.slogdet()[1]

    def slogdet(self) -> tuple[int, float]:
        """Returns the sign of the determinant of A, 1, -1 or 0, and logdet()."""
        self._expect_numeric()
        return self._core.slogdet()

    def det(self) -> float:
        """Returns the determinant of A: an infinity if it is too large for a float, and zero if it is too small."""
        self._expect_numeric()
        return self._core.determinant()

    # ------------------------------------------------------------------ results

    def get_factor(self, kind: str | None = None, lower: bool | None = None) -> Any:
        """Returns a copy of L (if `lower` is True) or of R = Lᵀ, without explicit zeros.

        The default of `lower` is that of the constructor. For `kind` "LDL", it returns a pair of the factor with a unit diagonal
        and D. Raises UsageError for `kind` "LL" if the factor has signs, because A is then L J Lᵀ. Raises UsageError for all kinds
        if the factorization chose its pivots, because L then is not a triangle. Cost: one pass over L.
        """
        if kind not in (None, "LL", "LDL"):
            raise UsageError(f"kind is {kind!r}, which is neither 'LL' nor 'LDL'")
        if kind == "LL" and self._signs is not None:
            raise UsageError("kind is 'LL', but the matrix is L J Lᵀ; choose 'LDL', or leave out `kind` to get L")
        self._expect_numeric()
        begin, row, value = self._core.lower(False)
        factor = sparse.csc_array((value, row, begin), shape=(self.N, self.N))
        if self._keeps_order:
            place = self._in_order(np.arange(self.N))
            factor = factor[place][:, place]
            factor.sort_indices()
        if kind == "LDL":
            factor.data /= np.repeat(self._diagonal(), np.diff(factor.indptr))
        if not (self.is_lower if lower is None else lower):
            factor = sparse.csc_array(factor.T)
        return (factor, sparse.dia_array(sparse.diags(self._unit_pivots()))) if kind == "LDL" else factor

    def _unit_pivots(self) -> np.ndarray:
        """Returns the diagonal of D of L' D L'ᵀ, where L' has a unit diagonal. Cost O(n)."""
        return self._signs_of_columns() * self._diagonal() ** 2

    def _diagonal(self) -> np.ndarray:
        """Returns the diagonal of L. Cost O(n)."""
        self._expect_numeric()
        return self._once("diagonal", lambda: self._in_order(self._core.diagonal()))

    @property
    def inertia(self) -> Inertia:
        """Numbers of positive, negative and zero eigenvalues of A, with a status. Cost: one pass over L and seven solves."""
        self._expect_numeric()
        return self._once("inertia", lambda: Inertia(*self._core.inertia()))

    @property
    def growth(self) -> float:
        """Growth of the factorization: the largest sum of squares of a row of L over the largest magnitude of an entry of A.

        It is about 1 without signs. Rounding errors of the factorization change A by about the growth times the machine precision.
        Cost: one pass over L.
        """
        self._expect_numeric()
        return self._once("growth", self._core.growth)

    @property
    def replaced_pivots(self) -> np.ndarray:
        """Columns of A whose pivots were replaced, ascending and counted from 0. Cost O(n).

        The regularization replaces pivots. A factorization that chooses its pivots also replaces pivots that are too small.
        """
        self._expect_numeric()
        return self._core.replaced_pivots()

    @property
    def factor(self) -> sparse.csc_array:
        """L, always lower triangular. It is kept until the next factorize()."""
        return self._once("factor", lambda: self.get_factor(lower=True))

    @property
    def L(self) -> Any:
        """L, lower triangular."""
        return self.factor

    @property
    def R(self) -> Any:
        """Lᵀ, upper triangular."""
        return self.get_factor(lower=False)

    @property
    def N(self) -> int:
        """Number of rows and of columns."""
        return self._core.size

    @property
    def nnz(self) -> int:
        """Number of stored entries of L, including explicit zeros of wide supernodes."""
        return self._core.factor_entries

    @property
    def flops(self) -> float:
        """Number of floating-point operations of a factorization."""
        return self._core.flops

    @property
    def colcount(self) -> np.ndarray:
        """Number of stored entries in each column of L. Raises UsageError before a factorization. Cost: one copy of L."""
        self._expect_numeric()
        return self._once("colcount", lambda: self._in_order(np.diff(self._core.lower(True)[0])))

    @property
    def perm(self) -> np.ndarray:
        """The permutation: A[perm][:, perm] is L Lᵀ. The array is read-only.

        If the factorization chooses its pivots, this is only the order of the columns before that.
        """
        if not hasattr(self, "_perm"):
            self._perm = self._in_order(self._core.permutation())
            self._perm.flags.writeable = False
        return self._perm

    def get_perm(self) -> np.ndarray:
        """Returns a copy of `perm`."""
        return self.perm.copy()

    def separator_tree(self) -> SeparatorTree:
        """Returns the fill-reducing order of the columns, and its parts: the separators and leaves of nested dissection.

        An entry of A joins two columns only if their parts are equal, or one is an ancestor of the other. `perm` differs from the
        order, because the symbolic factorization changes the order without more fill.
        """
        return SeparatorTree(*self._core.separator_tree())

    def save_ordering(self, file: "str | os.PathLike[str]") -> None:
        """Writes the order and its parts to a text file, compressed if the name ends in ".gz".

        For the same matrix, order=file gives the same L. Raises InputError if the file cannot be created.
        """
        self._core.save_ordering(os.fspath(file))

    @property
    def order(self) -> str:
        """Espalier's name of the ordering method that was used."""
        return self._summary()["ordering"]["method"]

    def _summary(self) -> dict[str, Any]:
        """Returns report(). In a forked process, returns only the part that does not need StarPU."""
        return json.loads(self._core.summary())

    @property
    def dtype(self) -> np.dtype:
        """float64"""
        return np.dtype(np.float64)

    @property
    def itype(self) -> np.dtype:
        """int32"""
        return np.dtype(np.int32)

    @property
    def is_ll(self) -> bool:
        """Whether the factorization is L Lᵀ, not L J Lᵀ. It is False for "auto"."""
        return self._signs is None and not self._chooses_pivots

    @property
    def is_super(self) -> bool:
        """True: the factorization is supernodal."""
        return True

    @property
    def rcond(self) -> float:
        """Rough estimate of the reciprocal condition number; -1 before the first factorization.

        It is (smallest diagonal entry of L / largest diagonal entry of L)². Raises UsageError if the factorization chose its pivots.
        """
        if not self.is_numeric:
            return -1.0
        if self.N == 0:
            return 1.0
        diagonal = self._diagonal()
        return float((diagonal.min() / diagonal.max()) ** 2)

    def report(self) -> dict[str, Any]:
        """Returns the report, with the content that `espalier solve --report` writes.

        Before the first factorization, the call plans a factorization to predict its time.
        """
        return json.loads(self._core.report())

    # ------------------------------------------------------------------ functions that are not supported

    def update(self, C: Any) -> None:
        """Raises NotSupportedError."""
        raise NotSupportedError("Espalier cannot update a factor by a matrix of low rank; call factorize() again")

    def downdate(self, C: Any) -> None:
        """Raises NotSupportedError."""
        self.update(C)

    # ------------------------------------------------------------------ special methods of Python

    def __repr__(self) -> str:
        known = self._summary()
        parts = [
            f"n={self.N}",
            f"nnz(L)={self.nnz}",
            f"order={known['ordering']['method']!r}",
            f"predicted memory {readable_bytes(known['symbolic']['predicted_peak_bytes'])}",
            "factored" if self.is_numeric else "analyzed",
        ]
        return f"{type(self).__name__}({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return facts_table(self._summary())

    def __getstate__(self) -> dict[str, Any]:
        names = ("_triangle", "_options", "_keeps_order", "_signs", "is_lower", "sym_kind", "check", "progress")
        values = self._core.values() if self.is_numeric else None
        return {"values": values, **{name: self.__dict__[name] for name in names}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: kept for name, kept in state.items() if name != "values"})
        self._analyze(self._triangle)
        if state["values"] is not None:
            self._compute(self._core.matrix_of(state["values"]), self.progress)
