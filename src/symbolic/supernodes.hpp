// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/options.hpp"
#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

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

/// Larger supernodes, in postorder again, and the renumbering of vertices that makes theirs
/// adjacent.
struct Amalgamation {
  Supernodes supernodes;
  Permutation renumbering;
};

/// Merges children into their parents, from the leaves up. A merge needs a rule of the options that
/// allows the explicit zeros of the whole supernode. It must also be predicted to take no more time
/// than it saves, so that a wide parent does not take in a leaf that has few of its rows.
/// Any child may merge. Three passes merge the children whose columns would have no zeros, at most
/// 5 % of zeros, and any number of them. Within a pass, the child that adds the fewest zeros comes
/// first, and the widest one among equals.
/// A merged supernode has the rows of the parent and the columns of both, so no rows are needed to
/// count zeros. Cost O(n + s log s) for s supernodes.
/// Ashcraft and Grimes, "The influence of relaxed supernode partitions on the multifrontal method",
/// 1989.
Amalgamation amalgamate(const Supernodes& supernodes, const AmalgamationOptions& options);

}  // namespace espalier::internal
