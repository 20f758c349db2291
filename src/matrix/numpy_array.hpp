// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/types.hpp"
#include "matrix/dense_vectors.hpp"

namespace espalier::internal {

// NumPy's files of one array (.npy): a magic string, a version, a header that is a Python
// dictionary with the type, the order and the shape, and then the numbers. The format is described
// in NumPy's documentation, module numpy.lib.format.

/// Returns what comes before the numbers of `count` vectors of length n that are stored one after
/// the other: version 1.0, doubles of this machine's byte order, shape (n,) for one vector, and
/// (n, count) in Fortran's order for more.
std::string numpy_header(Index n, Index count);

/// Whether the file begins as an array does. False for a pipe, whose bytes could be read only once.
bool holds_numpy_array(const std::string& path);

/// Reads vectors of length n from an array (n,), or (n, count) in the order of C or of Fortran, or
/// () if n is 1. The numbers are floats of 32 or 64 bits, integers or truth values, in either byte
/// order. Versions 1 to 3 of the format are read. Throws InputError if the file is not that, is
/// longer or shorter than its header says, or has a value that is not finite. Cost O(n count).
DenseVectors read_numpy_vectors(const std::string& path, Index n);

}  // namespace espalier::internal
