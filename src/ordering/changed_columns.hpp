// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Returns, for each column of a pattern, 1 if the column is new or if its neighbours differ from
/// those in a previous pattern, and 0 otherwise. `previous_of` has the previous number of each
/// column, or -1 for new columns; if it is empty, the numbers are equal. Cost O(n + nnz), but
/// O(nnz log d) for columns that differ or have other numbers and d entries.
std::vector<char> changed_columns(const PatternView& pattern, const PatternView& previous,
                                  std::span<const Index> previous_of);

}  // namespace espalier::internal
