// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "mapping/kernel_cost.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier {

/// How many cache lines of A's values the columns of L come from, for each column: of all windows
/// of so many neighbouring columns, or a sample of them, the lines that their columns of A touch,
/// each once. Between 1/8 of the entries a column, where numberings agree, and one or two lines a
/// column, where neighbours in L are far apart in A. `old_of`: the column of A of each column of L.
/// Cost O(1).
double lines_a_column(const LowerPattern& pattern, std::span<const Index> old_of);

/// The costs of factoring one matrix in that order.
KernelCost cost_for(const LowerPattern& pattern, std::span<const Index> old_of,
                    std::shared_ptr<const CostTable> measured);

}  // namespace espalier
