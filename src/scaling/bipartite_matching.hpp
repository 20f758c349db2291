// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Entry of a column, and the cost of matching the column with its row.
struct CostEntry {
  Index row;
  float cost;
};

/// Columns to match, with their entries in ascending order of costs.
struct CostColumns {
  Index rows = 0;  ///< number of rows
  std::vector<Count> begin{0};
  std::vector<CostEntry> entry;

  Index columns() const { return static_cast<Index>(begin.size()) - 1; }
  std::span<CostEntry> of(Index j) {
    return {entry.data() + begin[j], entry.data() + begin[j + 1]};
  }
  std::span<const CostEntry> of(Index j) const {
    return {entry.data() + begin[j], entry.data() + begin[j + 1]};
  }
};

/// Returns the row of each column in a matching with as many columns as possible, -1 for columns
/// without a row. If all columns are matched, the sum of costs is the lowest. Costs must be finite.
///
/// Most columns are matched by their cheapest entries. A shortest augmenting path, found with a
/// heap, adds each of the others. If no path exists, no later path leads through the rows that the
/// search has reached, so that they are left out from then on. Cost: about O(entries) in common
/// cases, and at worst O(columns entries log entries). Duff and Koster, "On algorithms for
/// permuting large entries to the diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22,
/// 2001, sections 2 to 4.
std::vector<Index> bipartite_matching(const CostColumns& columns);

}  // namespace espalier::internal
