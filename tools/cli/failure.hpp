// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/error.hpp"
#include "espalier/espalier.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Maximum backward error of an accepted solution.
inline constexpr double accepted_error = 1e-10;

/// The list of exit codes for the help.
inline constexpr const char* exit_codes =
    "Exit codes: 0 success; 1 backward error above 1e-10; 2 wrong usage; 3 bad input;\n"
    "4 not positive definite, or a pivot of the wrong sign; 5 memory; 6 unknown scheduler; 7 "
    "failure of StarPU, of a rank or of "
    "a "
    "device.";

/// The result "not positive definite", which ends the program like an error.
struct NotPositiveDefinite : Error {
  NotPositiveDefinite(const std::string& matrix, Index column);
  /// Column of the failed pivot, counted from 1 as in the file formats.
  Index column;
};

/// The result that a pivot of L J Lᵀ does not have the given sign.
struct WrongPivotSign : Error {
  WrongPivotSign(const std::string& matrix, Index column);
  /// As in NotPositiveDefinite.
  Index column;
};

/// Returns a matrix for measurements, from a file or a generator. Throws the same errors as
/// Matrix::load(). Throws InputError for a matrix without rows, because its factorization time
/// cannot be compared.
Matrix load_to_measure(const std::string& file_or_spec);

}  // namespace espalier::internal
