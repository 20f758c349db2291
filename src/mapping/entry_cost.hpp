// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "mapping/kernel_cost.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier {

/// How many cache lines of A's values the columns of L come from, for each column: all windows of
/// so many neighbouring columns of L need each of theirs once. Counted where A's columns are, for a
/// sample of them: the entries of A in a column of L lie in its own column of A and in those of its
/// neighbours, which may be far. From 1/8 of the entries a column, where numberings agree, up to
/// all of them. `new_of`: the column of L of each column of A. Cost O(entries of the sample).
double lines_a_column(const LowerPattern& pattern, std::span<const Index> new_of);

/// The costs of factoring one matrix in that order.
KernelCost cost_for(const LowerPattern& pattern, std::span<const Index> new_of,
                    std::shared_ptr<const CostTable> measured);

}  // namespace espalier
