# SPDX-License-Identifier: BSD-3-Clause
"""Symmetric systems A x = b with b = A (1, ..., 1), their backward errors, and their inertia if it is known."""
import dataclasses
import functools
import gzip
import math
import os
import pathlib
import re
import subprocess

import numpy as np

import exact_inertia

MATRIX_SUFFIXES = (".mtx", ".mtx.gz")
MOST_DENSE = 1500  # rows of a matrix whose eigenvalues are computed
MOST_EXACT = 300  # rows of a matrix whose inertia is computed in exact arithmetic
EQUILIBRATIONS = 20


class NoSystem(Exception):
    """The system cannot be read."""


@dataclasses.dataclass
class Known:
    """Numbers of positive, negative and zero eigenvalues, None if they are not known, and the source of this knowledge."""

    inertia: list
    source: str


class System:
    """The lower triangle of a matrix by columns; every diagonal entry is stored. `signs` is the file with its signs, or None."""

    def __init__(self, name, file, n, rows, columns, values, signs=None):
        self.name, self.file, self.n, self.signs = name, file, n, signs
        low, high = np.maximum(rows, columns), np.minimum(rows, columns)
        key = np.concatenate([high * np.int64(n) + low, np.arange(n, dtype=np.int64) * (n + 1)])
        key, place = np.unique(key, return_inverse=True)
        self.values = np.bincount(place, np.concatenate([values, np.zeros(n)]))
        self.columns, self.rows = np.divmod(key, n)
        self.below = np.flatnonzero(self.rows != self.columns)
        self.norm = float(self._sums(np.abs(self.values), np.ones(n)).max())
        self.b = self.product(np.ones(n))

    def _sums(self, values, x):
        upper = self.below
        return (np.bincount(self.rows, values * x[self.columns], self.n) +
                np.bincount(self.columns[upper], values[upper] * x[self.rows[upper]], self.n))

    def product(self, x):
        return self._sums(self.values, x)

    def backward_error(self, x):
        """max|b - A x| / (||A||_inf max|x| + max|b|), infinity if x is not finite, if A x overflows, or if x is not better than 0. Such x
        are large multiples of a null vector of a singular matrix, and this quotient alone would call them accurate."""
        if len(x) != self.n or not np.isfinite(x).all():
            return math.inf
        with np.errstate(over="ignore", invalid="ignore"):
            residual, b = np.abs(self.b - self.product(x)).max(), np.abs(self.b).max()
            size = self.norm * np.abs(x).max() + b
        is_solution = np.isfinite(size) and (residual < b or residual == 0)
        return float(residual / size) if is_solution else math.inf

    def write(self, path):
        """Writes the file that the programs of symmetric_peers read."""
        starts = np.searchsorted(self.columns, np.arange(self.n + 1))
        with open(path, "wb") as file:
            for array, kind in (([self.n, len(self.values)], np.int64), (starts, np.int32), (self.rows, np.int32), (self.values, float),
                                (self.b, float)):
                np.asarray(array, kind).tofile(file)

    @functools.cached_property
    def known(self):
        """The inertia from the first source that knows it."""
        reason = None
        for source in (generated_inertia, dense_inertia, exact_inertia_of, voted_inertia, inertia_of_signs):
            found = source(self)
            if found and found.inertia:
                return found
            reason = reason or found
        return reason or Known(None, "unknown")


def read(name, folder, program):
    """Reads a matrix file, or lets Espalier write a generated matrix into the folder."""
    file = pathlib.Path(name)
    if not file.is_file():
        file = pathlib.Path(folder) / (re.sub(r"\W", "_", name) + ".mtx")
        run = subprocess.run([str(program), "generate", name, str(file), "--quiet"], stderr=subprocess.PIPE, text=True)
        if run.returncode:
            raise NoSystem(f"{name}: {run.stderr.strip() or 'not a generated matrix'}")
    try:
        n, rows, columns, values = read_matrix_market(file)
    except (OSError, ValueError, EOFError) as error:
        raise NoSystem(f"{name}: {error}") from error
    signs = pathlib.Path(str(file).removesuffix(".gz") + ".signs")
    return System(display_name(name), file.resolve(), n, rows, columns, values, signs.resolve() if signs.is_file() else None)


def display_name(name):
    """The file's name with its folder and without its suffix, because sets have files of the same name; generated matrices as they are."""
    path = pathlib.Path(name)
    stem = path.name.removesuffix(".gz").removesuffix(".mtx")
    return stem if stem == path.name else "/".join([*path.resolve().parts[-2:-1], stem])


def read_matrix_market(file):
    """Returns n, rows and columns from 0, and values of a real symmetric coordinate file."""
    with (gzip.open if file.suffix == ".gz" else open)(file, "rb") as text:
        head = text.readline().decode("latin-1").lower().split()
        if head[:3] != ["%%matrixmarket", "matrix", "coordinate"] or head[-1] != "symmetric" or head[3] not in ("real", "integer"):
            raise ValueError("not a real symmetric coordinate file of Matrix Market")
        line = text.readline()
        while line.startswith(b"%") or not line.strip():
            if not line:
                raise ValueError("the sizes are missing")
            line = text.readline()
        n, columns, entries = map(int, line.split())
        table = np.array(text.read().split(), float)
    if n != columns or len(table) != 3 * entries:
        raise ValueError(f"{n} x {columns} matrix with {len(table) / 3:g} instead of {entries} entries")
    table = table.reshape(-1, 3)
    return n, table[:, 0].astype(np.int64) - 1, table[:, 1].astype(np.int64) - 1, table[:, 2]


def expand(arguments):
    """Replaces each folder by its matrix files, by name."""
    for argument in arguments:
        if os.path.isdir(argument):
            yield from (str(path) for path in sorted(pathlib.Path(argument).iterdir()) if path.name.endswith(MATRIX_SUFFIXES))
        else:
            yield argument


def generated_inertia(system):
    """Formulas of src/matrix/generators.hpp."""
    kind, _, size = system.name.partition(":")
    if kind not in ("stokes2d", "mixed2d", "helmholtz3d") or not size.isdecimal():
        return None
    m = int(size)
    if kind == "stokes2d":
        return Known([2 * m * (m - 1), m * m - 1, 0], "generator")
    if kind == "mixed2d":
        return Known([2 * m * (m + 1), m * m, 0], "generator")
    axis = 2 - 2 * np.cos(np.arange(1, m + 1) * math.pi / (m + 1))
    return counted((axis[:, None, None] + axis[:, None] + axis).ravel() - (math.pi / 5) ** 2, 12, "generator")


def counted(eigenvalues, scale, source):
    """The signs of computed eigenvalues of a matrix with this norm; not known if one of them is zero to rounding."""
    rounding = len(eigenvalues) * np.finfo(float).eps * scale
    unclear = int((np.abs(eigenvalues) <= rounding).sum())
    if unclear:
        return Known(None, f"nearly singular ({unclear} eigenvalues)")
    negative = int((eigenvalues < 0).sum())
    return Known([len(eigenvalues) - negative, negative, 0], source)


def exact_inertia_of(system):
    """Exact arithmetic, for small matrices."""
    if system.n > MOST_EXACT:
        return None
    found = exact_inertia.inertia(system.n, zip(system.rows.tolist(), system.columns.tolist(), system.values.tolist()))
    return Known(found, "exact arithmetic") if found else None


def voted_inertia(system):
    """The row of the matrix in inertia.tsv beside the file, if all solvers agreed."""
    table = system.file.parent / "inertia.tsv"
    if not table.is_file():
        return None
    for line in table.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[0] == system.name.rpartition("/")[2] and cells[-1] == "agree":
            return Known([int(count) for count in cells[1].split()], "vote")
    return None


def dense_inertia(system):
    """The eigenvalues of a small matrix, after an equilibration by powers of two. This keeps the inertia, by Sylvester's law, and makes
    eigenvalues visible that rounding would hide in a badly scaled matrix."""
    if system.n > MOST_DENSE:
        return None
    dense = np.zeros((system.n, system.n))
    dense[system.rows, system.columns] = dense[system.columns, system.rows] = system.values
    for _ in range(EQUILIBRATIONS):
        largest = np.abs(dense).max(axis=1)
        scale = np.where(largest > 0, np.exp2(-np.round(np.log2(np.where(largest > 0, largest, 1)) / 2)), 1)
        dense *= scale
        dense *= scale[:, None]
    return counted(np.linalg.eigvalsh(dense), np.abs(dense).sum(axis=1).max(), "eigenvalues")


def inertia_of_signs(system):
    """The signs, if the diagonal has them. Matrices with other diagonals are not quasi-definite."""
    if not system.signs:
        return None
    signs = np.array(system.signs.read_text(encoding="ascii").split(), float)
    diagonal = system.values[system.rows == system.columns]
    if len(signs) != system.n or not (signs * diagonal > 0).all():
        return None
    positive = int((signs > 0).sum())
    return Known([positive, system.n - positive, 0], "signs")
