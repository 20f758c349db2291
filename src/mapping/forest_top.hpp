// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/rank_map.hpp"
#include "matrix/sparse_matrix.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// Returns the predicted seconds of each panel from widths and heights alone. The results are equal
/// to panel_seconds() if the rows below each panel form blocks of as many rows as its parent panel
/// has columns. Cost O(panels).
std::vector<double> sizes_only_seconds(const SymbolicFactor& sizes_only, const KernelCost& cost);

/// The upper part of a forest whose structure is known only by sizes. It has the supernodes that
/// may be shared, their children, and all roots. A child or root that is not shared goes to one
/// rank with its whole subtree. The top numbers its supernodes and columns from 0, in the order of
/// the whole forest.
struct ForestTop {
  PanelStructure structure;
  /// Load of each panel, including all panels below it that are not in the top.
  std::vector<Load> load;
  /// For each supernode of the whole, its number in the top, or the number of its nearest ancestor
  /// in the top.
  std::vector<Index> place;
  std::vector<Index> column;  ///< for each column of the top, its column in `sizes_only`
  /// New order of the columns of the top inside their supernodes.
  Permutation renumbering;
};

/// Returns the top for this number of ranks. With Alone::blocks it is the whole forest. `seconds`
/// are those of the panels of `sizes_only`. `refine` reorders the columns inside supernodes so that
/// their rows become contiguous. Cost O(entries of A + rows of the top).
ForestTop forest_top(const SymbolicFactor& sizes_only, const PatternView& pattern,
                     std::span<const double> seconds, Index ranks, bool refine, Index workers = 1,
                     Alone alone = Alone::subtrees);

}  // namespace espalier::internal
