# SPDX-License-Identifier: BSD-3-Clause
"""Turns what users have into the arrays that the library takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from .errors import InputError, UnsupportedTypeError, UsageError


def as_doubles(values: np.ndarray, name: str) -> np.ndarray:
    """Returns the values in double precision. Raises UnsupportedTypeError where that would lose some of them."""
    if not np.can_cast(values.dtype, np.float64):
        raise UnsupportedTypeError(f"{name} has values of type {values.dtype}, but Espalier computes with float64 alone")
    return np.ascontiguousarray(values, dtype=np.float64)


@dataclass(frozen=True)
class Triangle:
    """One triangle of a symmetric matrix, by compressed columns, with all of its diagonal.

    Rows ascend in each column. `begin` has n + 1 offsets, int64; `row` is int32, and `value` float64.
    """

    begin: np.ndarray
    row: np.ndarray
    value: np.ndarray
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
        """Returns the other triangle, of the same matrix. Cost O(entries)."""
        return _compressed(self.n, self.columns(), self.row, self.value, not self.upper)

    def has_pattern_of(self, other: "Triangle") -> bool:
        return np.array_equal(self.begin, other.begin) and np.array_equal(self.row, other.row)

    def on_pattern_of(self, other: "Triangle") -> "Triangle":
        """Returns the same triangle of this matrix, with zeros where only the other one has entries.

        Raises InputError where this one has an entry that the other has not. Cost O(entries).
        """
        if self.upper != other.upper:
            return self.transposed().on_pattern_of(other)
        if self.has_pattern_of(other):
            return self
        if self.n == other.n:
            united = _compressed(
                self.n,
                np.concatenate([self.row, other.row]),
                np.concatenate([self.columns(), other.columns()]),
                np.concatenate([self.value, np.zeros(len(other.row))]),
                self.upper,
            )
            if united.has_pattern_of(other):
                return united
        raise InputError("the matrix has entries where the one that was analyzed has none; make a new CholeskyFactor of it")


def _compressed(n: int, row: np.ndarray, column: np.ndarray, value: np.ndarray, upper: bool) -> Triangle:
    matrix = sparse.coo_matrix((value, (row, column)), shape=(n, n)).tocsc()  # which adds what is there twice
    matrix.sort_indices()
    return Triangle(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, upper)


def triangle_of(matrix: Any, lower: bool = True, sym_kind: str | None = None) -> Triangle:
    """Returns the lower or the upper triangle of a square matrix, or of A Aᵀ ("row") or Aᵀ A ("col").

    The other triangle is not looked at. Entries that are there twice are added, and a diagonal entry that is missing is
    zero. Anything that SciPy makes a sparse matrix of is taken; CSC and CSR without a detour. Raises UsageError where the
    matrix is not square, UnsupportedTypeError for complex values. Cost O(entries).
    """
    if sym_kind not in (None, "sym", "row", "col"):
        raise UsageError(f"sym_kind is {sym_kind!r}, which is none of 'sym', 'row' and 'col'")
    if not sparse.issparse(matrix):
        matrix = sparse.csc_matrix(matrix)
    if matrix.ndim != 2:
        raise UsageError(f"the matrix has {matrix.ndim} dimensions instead of two")
    if sym_kind in ("row", "col"):
        matrix = matrix @ matrix.T if sym_kind == "row" else matrix.T @ matrix
    if matrix.shape[0] != matrix.shape[1]:
        raise UsageError(f"the matrix has {matrix.shape[0]} rows and {matrix.shape[1]} columns, but has to be square")
    if matrix.shape[0] >= np.iinfo(np.int32).max:
        raise UsageError(f"the matrix has {matrix.shape[0]} rows, but 2^31 - 2 at most are possible")
    by_rows = matrix.format == "csr"
    return _triangle_of_compressed(matrix if by_rows else matrix.tocsc(), upper=bool(lower) == by_rows)


def _triangle_of_compressed(matrix: Any, upper: bool) -> Triangle:
    """Takes the triangle of compressed columns; compressed rows are those of the transposed matrix."""
    n = matrix.shape[0]
    value = as_doubles(matrix.data, "the matrix")
    row = matrix.indices
    column = np.repeat(np.arange(n, dtype=row.dtype), np.diff(matrix.indptr))
    kept = row <= column if upper else row >= column
    row, column, value = row[kept].astype(np.int32), column[kept].astype(np.int32), value[kept]
    with_diagonal = np.zeros(n, dtype=bool)
    with_diagonal[row[row == column]] = True
    if matrix.has_canonical_format and with_diagonal.all():
        begin = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(np.bincount(column, minlength=n), out=begin[1:])
        return Triangle(begin, row, value, upper)
    missing = np.flatnonzero(~with_diagonal).astype(np.int32)
    return _compressed(
        n,
        np.concatenate([row, missing]),
        np.concatenate([column, missing]),
        np.concatenate([value, np.zeros(len(missing))]),
        upper,
    )
