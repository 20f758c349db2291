// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns the other column of each column's 2 x 2 pivot, or the column itself if it is single.
///
/// `row_of` is a permutation of the columns that have a matched entry; it is -1 for the others,
/// which stay single. Each of its cycles is divided into pairs of neighbours and, if its length is
/// odd, one single column. `diagonal` is the scaled diagonal, and the absolute values of matched
/// entries are taken as 1. Of all divisions of a cycle, the one with the largest product of
/// determinants |d_i d_j - 1| and single |d_i| is taken. Cost O(n).
std::vector<Index> cycle_pairs(std::span<const Index> row_of, std::span<const double> diagonal);

}  // namespace espalier::internal
