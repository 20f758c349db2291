# SPDX-License-Identifier: BSD-3-Clause
"""Converts matrices of users to the arrays of the library."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from . import _espalier
from .errors import InputError, UnsupportedTypeError, UsageError


def expect_doubles(values: np.ndarray, name: str) -> None:
    """Raises UnsupportedTypeError if double precision cannot hold the type of the values."""
    if not np.can_cast(values.dtype, np.float64):
        raise UnsupportedTypeError(f"{name} has values of type {values.dtype}, but Espalier computes only with float64")


def as_doubles(values: np.ndarray, name: str) -> np.ndarray:
    """Returns the values in double precision. Raises UnsupportedTypeError if double precision cannot hold their type."""
    expect_doubles(values, name)
    return np.ascontiguousarray(values, dtype=np.float64)


def as_signs(signs: Any, n: int) -> np.ndarray:
    """Returns a copy of the signs as int8. Raises UsageError unless there is one for each of n rows, and each is 1 or -1."""
    given = np.asarray(signs)
    if given.shape != (n,):
        raise UsageError(f"the signs have the shape {given.shape}, but the matrix has {n} rows; give one sign for each row")
    wrong = np.flatnonzero((given != 1) & (given != -1))
    if len(wrong) > 0:
        raise UsageError(f"the sign of row {wrong[0]}, counted from 0, is {given[wrong[0]]}; it must be 1 or -1")
    return given.astype(np.int8)


def expect_finite(b: Any, name: str) -> None:
    """Raises InputError if an array or a sparse matrix has NaN or infinity. The message names the first such value."""
    entries = b.tocoo() if sparse.issparse(b) else None
    values = np.asarray(b) if entries is None else entries.data
    expect_doubles(values, name)
    if np.isfinite(values).all():
        return
    first = np.argwhere(~np.isfinite(values))[0]
    value = values[tuple(first)]
    place = first if entries is None else [axis[first[0]] for axis in (entries.row, entries.col)]
    raise InputError(f"{name} has the value {value} at {tuple(map(int, place))}, counted from 0; solve for finite values")


def expect_inside(matrix: Any) -> None:
    """Raises InputError if an index of compressed_form() is outside the matrix. The message names the first. Cost O(entries)."""
    wrong = np.flatnonzero((matrix.indices < 0) | (matrix.indices >= matrix.shape[0]))
    if len(wrong) == 0:
        return
    outer = int(np.searchsorted(matrix.indptr, wrong[0], side="right")) - 1
    place = (int(matrix.indices[wrong[0]]), outer)
    place = place[::-1] if matrix.format == "csr" else place
    raise InputError(f"the entry {place} is outside the matrix of {matrix.shape[0]} rows and columns, counted from 0")


@dataclass(frozen=True)
class Triangle:
    """One triangle of a symmetric matrix in compressed columns, with the whole diagonal.

    The rows of each column ascend. `begin` has n + 1 offsets (int64). `row` is int32. `value` is float64, or None for a pattern.
    After the analysis of a pattern its arrays must not change, because the factor uses them.
    """

    begin: np.ndarray
    row: np.ndarray
    value: np.ndarray | None
    upper: bool

    @property
    def n(self) -> int:
        return len(self.begin) - 1

    def columns(self) -> np.ndarray:
        """Returns the column of each entry. Cost O(entries)."""
        return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.begin))

    def plus_diagonal(self, beta: float) -> "Triangle":
        """Returns the triangle of A + beta I. Cost O(entries)."""
        if beta == 0:
            return self
        return replace(self, value=self.value + beta * (self.row == self.columns()))

    def transposed(self) -> "Triangle":
        """Returns the other triangle of the same matrix. Cost O(entries)."""
        return _compressed(self.n, self.columns(), self.row, self.value, not self.upper)

    def has_pattern_of(self, other: "Triangle") -> bool:
        return np.array_equal(self.begin, other.begin) and np.array_equal(self.row, other.row)

    def on_pattern_of(self, other: "Triangle") -> "Triangle":
        """Returns this matrix with the pattern of another triangle. Entries that only the other triangle has are zero.

        Raises InputError if this matrix has an entry that the other triangle lacks. Cost O(entries).
        """
        if self.upper != other.upper:
            return self.transposed().on_pattern_of(other)
        if self.has_pattern_of(other):
            return self
        if self.n != other.n:
            raise UsageError(f"the matrix has {self.n} rows, but the analyzed matrix has {other.n}; make a new CholeskyFactor")
        united = _compressed(
            self.n,
            np.concatenate([self.row, other.row]),
            np.concatenate([self.columns(), other.columns()]),
            np.concatenate([self.value, np.zeros(len(other.row))]),
            self.upper,
        )
        if united.has_pattern_of(other):
            return united
        raise InputError("the matrix has entries where the analyzed matrix has none; make a new CholeskyFactor")


def _compressed(n: int, row: np.ndarray, column: np.ndarray, value: np.ndarray, upper: bool) -> Triangle:
    matrix = sparse.coo_matrix((value, (row, column)), shape=(n, n)).tocsc()  # tocsc() sums duplicates
    matrix.sort_indices()
    return Triangle(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, upper)


def pattern_of(matrix: Any, upper: bool, check: bool) -> Triangle:
    """Returns the pattern of the upper or the lower triangle of compressed_form().

    If `check` is set and only the other triangle has entries off the diagonal, it returns the pattern of the other triangle.
    Missing diagonal entries are added. Raises UnsupportedTypeError for complex values. Cost O(entries).
    """
    expect_doubles(matrix.data, "the matrix")
    expect_inside(matrix)
    chosen = _pattern(matrix, upper)
    if check and len(chosen.row) == chosen.n and matrix.nnz > 0:
        other = _pattern(matrix, not upper)
        if len(other.row) > other.n:
            return other
    return chosen


def compared_triangle(matrix: Any, upper: bool) -> bool:
    """Returns whether to read the upper triangle of compressed_form().

    The result is `upper`, unless only the other triangle has entries off the diagonal. Raises InputError if both triangles have
    entries and differ. Cost: one pass over the entries.
    """
    values = as_doubles(matrix.data, "the matrix")
    by_rows = matrix.format == "csr"
    try:
        below, above = _espalier.compare_triangles(matrix.indptr.astype(np.int64), matrix.indices, values, by_rows)
    except InputError:
        expect_inside(matrix)
        raise
    chosen, other = (above, below) if upper else (below, above)
    return bool(upper) if chosen > 0 or other == 0 else not upper


def triangle_on(known: Triangle, matrix: Any, upper: bool) -> Triangle:
    """Returns a triangle of compressed_form(), with values, on the pattern of a known triangle.

    Entries that only the known triangle has are zero. Raises InputError if the matrix has an entry outside the pattern. Cost
    O(entries).
    """
    expect_inside(matrix)
    return _triangle_of_compressed(matrix, upper).on_pattern_of(known)


def compressed_form(matrix: Any, lower: bool, sym_kind: str | None) -> tuple[Any, bool]:
    """Returns a square matrix in compressed columns or rows, and whether to read its upper triangle.

    The result is A, A Aᵀ (`sym_kind` "row") or Aᵀ A ("col"). Compressed rows are read as the columns of the transposed matrix,
    and the upper triangle is then that of the transposed matrix. The function accepts everything that SciPy can convert to a sparse matrix.
    CSC and CSR are not converted. In the result the rows of each column ascend, and duplicates are summed. Raises UsageError if
    the matrix is not square.
    """
    if sym_kind not in (None, "sym", "row", "col"):
        raise UsageError(f"sym_kind is {sym_kind!r}, which is not one of 'sym', 'row' and 'col'")
    if not sparse.issparse(matrix):
        matrix = sparse.csc_matrix(matrix)
    if matrix.ndim != 2:
        raise UsageError(f"the matrix has {matrix.ndim} dimensions instead of two")
    if sym_kind in ("row", "col"):
        matrix = matrix @ matrix.T if sym_kind == "row" else matrix.T @ matrix
    if matrix.shape[0] != matrix.shape[1]:
        raise UsageError(f"the matrix has {matrix.shape[0]} rows and {matrix.shape[1]} columns, but has to be square")
    if matrix.shape[0] >= np.iinfo(np.int32).max:
        raise UsageError(f"the matrix has {matrix.shape[0]} rows, but at most 2^31 - 2 are possible")
    by_rows = matrix.format == "csr"
    matrix = matrix if by_rows else matrix.tocsc()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix, bool(lower) == by_rows


def _pattern(matrix: Any, upper: bool) -> Triangle:
    pattern = _espalier.triangle_pattern(matrix.indptr.astype(np.int64), matrix.indices, upper)
    if pattern is None:  # a diagonal entry is missing
        return replace(_triangle_of_compressed(matrix, upper), value=None)
    return Triangle(*pattern, None, upper)


def _triangle_of_compressed(matrix: Any, upper: bool) -> Triangle:
    n = matrix.shape[0]
    value = as_doubles(matrix.data, "the matrix")
    row = matrix.indices
    column = np.repeat(np.arange(n, dtype=row.dtype), np.diff(matrix.indptr))
    kept = row <= column if upper else row >= column
    diagonal = np.arange(n, dtype=np.int32)  # adds a zero to each diagonal entry, in case it is missing
    return _compressed(
        n,
        np.concatenate([row[kept].astype(np.int32), diagonal]),
        np.concatenate([column[kept].astype(np.int32), diagonal]),
        np.concatenate([value[kept], np.zeros(n)]),
        upper,
    )
