// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/types.hpp"
#include "matrix/dense_vectors.hpp"

namespace espalier::internal {

// NumPy files with one array (.npy) consist of a magic string, a version, a header, and the
// numbers. The header is a Python dictionary with type, order and shape. NumPy's documentation,
// module numpy.lib.format, describes the format.

/// Returns the bytes before the numbers of `count` vectors of length n, stored one after the other:
/// version 1.0, doubles in the byte order of this machine, and shape (n,) for one vector, or (n,
/// count) in Fortran order for more.
std::string numpy_header(Index n, Index count);

/// Returns whether the file begins like a NumPy array; false for a pipe, whose bytes can be read
/// only once.
bool holds_numpy_array(const std::string& path);

/// Reads vectors of length n from an array of shape (n,), or (n, count) in C or Fortran order, or
/// () if n is 1. The numbers are floats of 32 or 64 bits, integers or booleans, in either byte
/// order. Versions 1 to 3 of the format are supported. Throws InputError if the file has another
/// format, is longer or shorter than its header says, or has a value that is not finite. Cost O(n
/// count).
DenseVectors read_numpy_vectors(const std::string& path, Index n,
                                std::string_view noun = usual_vectors);

}  // namespace espalier::internal
