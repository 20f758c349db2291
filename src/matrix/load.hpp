// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "matrix/matrix_input.hpp"

namespace espalier {

/// Makes the matrix of a generator's spec, or reads a file: Matrix Market (.mtx), Rutherford-Boeing
/// (.rb) or Harwell-Boeing (.rsa, .rua, .psa, .pua and the like), each also gzipped (.gz), upper or
/// lower case. A file of another name is read if it begins as a Matrix Market file does.
/// Throws UsageError for a bad spec and InputError for a file that holds no such matrix; the
/// message names the file, the line where there is one, and the reason.
MatrixInput load_matrix(const std::string& file_or_spec, Values values = Values::required);

}  // namespace espalier
