// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bindings/pardiso/arguments.hpp"
#include "bindings/pardiso/statistics.hpp"

/// The texts that callers of PARDISO expect on standard output and standard error. The rest of the
/// library prints nothing.

namespace espalier::internal {

/// Prints one line to standard error.
void print_failure(int error, const char* message) noexcept;

/// Prints a warning to standard error if `verbose` is true, or if none was printed before by this
/// process.
void print_inaccuracy(double backward_error, bool verbose) noexcept;

/// Prints a table of the phases that a call has run to standard output.
void print_statistics(const Call& call, const Statistics& statistics);

/// Prints facts about a matrix and right-hand sides to standard output.
void print_matrix(const MatrixFacts& facts);

}  // namespace espalier::internal
