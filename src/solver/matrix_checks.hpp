// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "espalier/espalier.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier {

/// Throws UsageError unless the patterns are the same.
void expect_same_pattern(const LowerPattern& known, const LowerPattern& given);
/// Throws UsageError unless the matrix has the pattern that was analyzed, and values.
void expect_analyzed(const LowerPattern& known, const Matrix& given);

/// Throws UsageError unless both have n times count entries, and one at least.
void expect_vectors(Index n, Index count, std::size_t b, std::size_t x);

/// The first column whose diagonal entry is not positive, or n: where there is one, A cannot be
/// positive definite, and this column does not depend on the ordering.
Index first_bad_diagonal(const LowerPattern& pattern, std::span<const double> value);

}  // namespace espalier
