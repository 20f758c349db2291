// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/error.hpp"
#include "espalier/espalier.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// The largest backward error of a solution that counts as one.
inline constexpr double accepted_error = 1e-10;

/// What exit codes mean, for the help.
inline constexpr const char* exit_codes =
    "Exit codes: 0 success; 1 backward error above 1e-10; 2 wrong usage; 3 bad input;\n"
    "4 not positive definite; 5 memory; 6 unknown scheduler; 7 failure of StarPU, of a rank or of "
    "a "
    "device.";

/// The result "not positive definite", which ends the program as an error does.
struct NotPositiveDefinite : Error {
  NotPositiveDefinite(const std::string& matrix, Index column);
  /// It is counted from 1, as people and the file formats count.
  Index column;
};

/// Returns the matrix of a file or a generator, for measurements. Throws as Matrix::load(), and
/// InputError for a matrix without rows, whose factorizations take no time that could be compared.
Matrix load_to_measure(const std::string& file_or_spec);

}  // namespace espalier::internal
