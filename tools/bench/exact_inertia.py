# SPDX-License-Identifier: BSD-3-Clause
"""The inertia of a small sparse symmetric matrix in exact arithmetic, also if the matrix is singular or nearly so."""
import fractions

MOST_WORK = 2e8  # digits of pivots times updated entries: about ten seconds


class Rows:
    """The remaining matrix: the entries of each remaining row by column, without zeros."""

    def __init__(self, n, entries):
        """Entries are (row, column, value) of the lower triangle."""
        self.rows = {k: {} for k in range(n)}
        self.work = 0
        for i, j, value in entries:
            self.add(i, j, fractions.Fraction(value))

    def add(self, i, j, value):
        value += self.rows[i].get(j, 0)
        for row, column in ((i, j), (j, i)):
            if value:
                self.rows[row][column] = value
            else:
                self.rows[row].pop(column, None)

    def take(self, k):
        """Removes a row and its column. Returns its entries."""
        row = self.rows.pop(k)
        for j in row:
            if j != k:
                del self.rows[j][k]
        return row

    def count(self, pivot, columns):
        self.work += len(columns) ** 2 * (pivot.numerator.bit_length() + pivot.denominator.bit_length())

    def shortest(self, candidates):
        return min(candidates, key=lambda k: len(self.rows[k]), default=None)


def eliminate_one(matrix, k):
    """Eliminates a nonzero diagonal entry. Returns its sign."""
    row = matrix.take(k)
    pivot = row.pop(k)
    columns = list(row)
    matrix.count(pivot, columns)
    for a, i in enumerate(columns):
        for j in columns[:a + 1]:
            matrix.add(i, j, -row[i] * row[j] / pivot)
    return 1 if pivot > 0 else -1


def eliminate_pair(matrix, k):
    """Eliminates row k and one of its neighbours, whose diagonal entries are zero: one positive and one negative eigenvalue."""
    m = matrix.shortest(matrix.rows[k])
    first, second = matrix.take(k), matrix.take(m)
    pivot = first.pop(m)
    columns = list({**first, **second})
    matrix.count(pivot, columns)
    for a, i in enumerate(columns):
        for j in columns[:a + 1]:
            product = first.get(i, 0) * second.get(j, 0) + second.get(i, 0) * first.get(j, 0)
            matrix.add(i, j, -product / pivot)


def inertia(n, entries):
    """Returns [positive, negative, zero] by L D Lᵀ with pivots of order 1 and 2, or None if that takes more than MOST_WORK. The shortest
    row comes first, because that limits the fill. Time grows with the fill and with the digits of the entries."""
    matrix = Rows(n, entries)
    counts = {1: 0, -1: 0}
    while matrix.rows:
        if matrix.work > MOST_WORK:
            return None
        one = matrix.shortest(k for k, row in matrix.rows.items() if k in row)
        if one is not None:
            counts[eliminate_one(matrix, one)] += 1
            continue
        k = matrix.shortest(k for k, row in matrix.rows.items() if row)
        if k is None:
            break
        eliminate_pair(matrix, k)
        counts[1] += 1
        counts[-1] += 1
    return [counts[1], counts[-1], len(matrix.rows)]
