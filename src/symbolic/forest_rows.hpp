// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/permutation.hpp"
#include "symbolic/elimination_graph.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier {

/// The rows of some supernodes.
struct ForestRows {
  /// Rows of supernode s, ascending, its own columns first: row[begin[s] .. begin[s+1]).
  std::vector<Count> begin{0};
  std::vector<Index> row;
  Permutation renumbering;  ///< of their columns
};

/// The rows of the first `count` supernodes. Those behind them are there as rows of these, and keep
/// their numbers; columns inside the others are put into the order of refine_partition() where
/// `refine` says so. All are counted in columns, and a height is that of the rows that `pairs`
/// make. Cost O(pairs + rows) but for the refinement.
ForestRows forest_rows(const Supernodes& supernodes, Index count, std::span<const ColumnPair> pairs,
                       bool refine, Index workers = 1);

}  // namespace espalier
