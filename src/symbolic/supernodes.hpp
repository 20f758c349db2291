// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// Supernodes of postordered vertices and their tree. Vertices of supernode s are [begin[s],
/// begin[s+1]); widths and heights count columns and rows of L, of which a vertex has one or more.
struct Supernodes {
  std::vector<Index> begin{0};
  std::vector<Index> parent;  ///< -1 at a root; a parent is larger than its children
  std::vector<Index> width;
  std::vector<Index> height;  ///< its own columns included

  Index count() const { return static_cast<Index>(parent.size()); }
  /// Rows below the diagonal block.
  Index below(Index s) const { return height[s] - width[s]; }
};

/// The supernode of every column, from the first columns of supernodes and n behind them; the same
/// for vertices and panels.
std::vector<Index> supernode_of_column(std::span<const Index> begin);

/// Maximal chains of vertices in which each but the first has the one before as its only child and
/// the same structure below. `parent` is a postordered elimination forest. Cost O(n).
/// Liu, Ng and Peyton, "On finding supernodes for sparse matrix computations", 1993.
Supernodes fundamental_supernodes(std::span<const Index> parent,
                                  std::span<const Index> column_count,
                                  std::span<const Index> weight);

}  // namespace espalier
