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

/// Predicted seconds of each panel from widths and heights alone: those of panel_seconds() if the
/// rows below came in blocks as wide as the parent's first panel. Cost O(panels).
std::vector<double> outline_seconds(const SymbolicFactor& outline, const KernelCost& cost);

/// The upper part of a forest of which only sizes are known: the supernodes that may be shared, and
/// those next below, each of which goes to one rank with its whole subtree. All here is numbered in
/// the order of the whole.
struct ForestTop {
  PanelStructure structure;
  std::vector<Load> load;     ///< what each panel takes, with all that is below it and not here
  std::vector<Index> place;   ///< by supernode of the whole: itself, or the next above, here
  std::vector<Index> column;  ///< the column of the outline that each one here is
  Permutation renumbering;    ///< from the outline's order of the columns inside their supernodes
};

/// Returns the top for so many ranks, the whole forest where they own nothing but blocks alone.
/// `seconds` are those of the panels of the outline; `refine` puts the columns inside supernodes
/// into the order that makes their rows contiguous. Cost O(entries of A + rows of the top).
ForestTop forest_top(const SymbolicFactor& outline, const PatternView& pattern,
                     std::span<const double> seconds, Index ranks, bool refine, Index workers = 1,
                     Alone alone = Alone::subtrees);

}  // namespace espalier::internal
