# SPDX-License-Identifier: BSD-3-Clause
"""Small matrices and vectors as Matrix Market text, and vectors as NumPy arrays."""
import struct


def coordinate(n, entries, symmetry="symmetric", field="real"):
    """Returns a coordinate file. Entries are (row, column, value), counted from 1."""
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", f"{n} {n} {len(entries)}"]
    lines += [" ".join(map(str, entry)) for entry in entries]
    return "\n".join(lines) + "\n"


def grid_entries(m):
    """Returns the lower triangle of the 5-point Laplacian on m x m points, as a dictionary."""
    entries = {}
    for point in range(1, m * m + 1):
        entries[point, point] = 4.0
        if point % m != 0:
            entries[point + 1, point] = -1.0
        if point + m <= m * m:
            entries[point + m, point] = -1.0
    return entries


def symmetric(n, entries):
    """Returns a coordinate file with a matrix, given the dictionary of its lower triangle."""
    return coordinate(n, [(i, j, value) for (i, j), value in sorted(entries.items(), key=lambda e: e[0][::-1])])


def product(n, entries, x):
    """Returns A x for the dictionary of a lower triangle."""
    y = [0.0] * n
    for (i, j), value in entries.items():
        y[i - 1] += value * x[j - 1]
        if i != j:
            y[j - 1] += value * x[i - 1]
    return y


def array(columns):
    """Returns an array file with these vectors as columns."""
    lines = ["%%MatrixMarket matrix array real general", f"{len(columns[0])} {len(columns)}"]
    lines += [repr(value) for column in columns for value in column]
    return "\n".join(lines) + "\n"


def numpy_file(shape, by_columns, numbers):
    """Returns an array of doubles as numpy.save() writes it."""
    header = f"{{'descr': '<f8', 'fortran_order': {by_columns}, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}d", *numbers)


def read_array(text):
    """Returns the columns of an array file."""
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    rows, columns = map(int, lines[0].split())
    values = [float(line) for line in lines[1:]]
    assert len(values) == rows * columns, f"{len(values)} values, not {rows} x {columns}"
    return [values[k * rows : (k + 1) * rows] for k in range(columns)]


def arrow(n):
    """Returns a matrix whose first row is full, so that L is dense in the natural ordering."""
    return coordinate(n, [(1, 1, n), *((i, 1, -1) for i in range(2, n + 1)), *((i, i, 2) for i in range(2, n + 1))])
