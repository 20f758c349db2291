// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/options.hpp"
#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Supernodes of postordered vertices, and their tree. Vertices of supernode s are [begin[s],
/// begin[s+1]). Widths and heights count columns and rows of L; a vertex has at least one column.
struct Supernodes {
  std::vector<Index> begin{0};
  std::vector<Index> parent;  ///< -1 at a root; a parent is larger than its children
  std::vector<Index> width;
  std::vector<Index> height;  ///< including its own columns

  Index count() const { return static_cast<Index>(parent.size()); }
  /// Returns the number of rows below the diagonal block.
  Index below(Index s) const { return height[s] - width[s]; }
};

/// Returns the supernode of every column. `begin` has the first column of each supernode, and then
/// n. The function works for vertices and panels, too.
std::vector<Index> supernode_of_column(std::span<const Index> begin);

/// Returns the maximal chains of vertices in which each vertex, except the first, has its
/// predecessor as only child and the same structure below. `parent` is a postordered elimination
/// forest. Cost O(n). Liu, Ng and Peyton, "On finding supernodes for sparse matrix computations",
/// 1993.
Supernodes fundamental_supernodes(std::span<const Index> parent,
                                  std::span<const Index> column_count,
                                  std::span<const Index> weight);

/// Amalgamated supernodes, in postorder, and the renumbering of vertices that makes the vertices of
/// each one adjacent.
struct Amalgamation {
  Supernodes supernodes;
  Permutation renumbering;
};

/// Merges children into their parents, from the leaves up. A rule of the options must allow the
/// explicit zeros of the merged supernode. The merge must also be predicted to save at least as
/// much time as it costs, so that a wide parent does not absorb a leaf with few of its rows.
///
/// Any child may merge. The first of three passes allows no zeros in the columns of the child, the
/// second at most 5 % of zeros, and the third any number. Within a pass, the child that adds the
/// fewest zeros comes first, and the widest one among equals.
///
/// A merged supernode has the rows of the parent and the columns of both. Therefore zeros can be
/// counted without row numbers. Cost O(n + s log s) for s supernodes, most of it on `workers`
/// threads; the result does not depend on their number. Ashcraft and Grimes, "The
/// influence of relaxed supernode partitions on the multifrontal method", 1989.
Amalgamation amalgamate(const Supernodes& supernodes, const AmalgamationOptions& options,
                        Index workers = 1);

/// Returns PanelStructure::parent() of each panel, given the supernode of each panel and the parent
/// of each supernode, or -1 at a root. Cost O(panels).
std::vector<Index> panel_parents(std::span<const Index> panel_supernode,
                                 std::span<const Index> supernode_parent);

}  // namespace espalier::internal
