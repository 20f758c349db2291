// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"
#include "ordering/compression.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier::internal {

/// Division of a postordered forest for threads: groups of whole subtrees, and above them the top.
/// Group g consists of the vertices in [border[g], border[g+1]) that are not in the top. A vertex
/// of a group depends only on vertices below it, which are in the same group.
struct SubtreeGroups {
  std::vector<Index> border;
  std::vector<char> in_top;  ///< whether each vertex is in the top
  std::vector<Index> top;    ///< ascending

  Index count() const { return static_cast<Index>(border.size()) - 1; }

  template <typename Visit>
  void for_each_in(Index group, Visit visit) const {
    for (Index v = border[group]; v < border[group + 1]; ++v) {
      if (!in_top[v]) visit(v);
    }
  }
};

/// Divides a forest. The top has the vertices whose subtrees have more than half of a worker's
/// share of the work, and more than a minimum. If there is one worker or little work, there is a
/// single group. `work` has the work of every vertex without its descendants. Cost O(n).
SubtreeGroups group_subtrees(std::span<const Index> parent, std::span<const Index> work,
                             Index workers);

/// Consecutive rows of supernode `source` that face another supernode. Such rows are vertices of
/// the other supernode.
struct FacingRange {
  Count begin;
  Index size;
  Index source;  ///< supernode that has the rows
};

/// Vertices below the diagonal block of every supernode, and the supernodes that they face.
struct RowStructure {
  /// Space of supernode s: row[begin[s] .. begin[s+1]), one element per row of L in it. Space for
  /// its columns comes first. The `below[s]` vertices below the diagonal block follow, ascending.
  std::vector<Count> begin{0};
  std::vector<Index> row;
  std::vector<Index> below;
  /// Ranges that face supernode s: facing[facing_begin[s] .. facing_begin[s+1]), in any order.
  std::vector<Count> facing_begin{0};
  std::vector<FacingRange> facing;

  std::span<const FacingRange> facing_ranges(Index s) const {
    return {facing.data() + facing_begin[s], facing.data() + facing_begin[s + 1]};
  }
  std::span<const Index> rows(const FacingRange& range) const {
    return {row.data() + range.begin, static_cast<std::size_t>(range.size)};
  }
};

/// Returns the vertices of L below the diagonal blocks, in the numbering after amalgamation. Row i
/// belongs to all supernodes on the paths from the earlier neighbours of vertex i up to the
/// supernode of i. Cost O(edges + rows). Only the order of the ranges that face a supernode depends
/// on `workers`.
RowStructure row_structure(const EliminationOrder& order, const Amalgamation& amalgamation,
                           Index workers = 1);

/// Returns the rows of supernodes whose vertices are numbered as in `graph`.
RowStructure row_structure(const EliminationGraph& graph, const Supernodes& supernodes,
                           Index workers = 1);

/// Numbering of the columns of L, from the vertices of a compressed graph in their final order. The
/// members of each vertex follow each other.
struct ColumnNumbering {
  Permutation permutation;          ///< numbering of A (old) to numbering of L (new)
  std::vector<Index> column_begin;  ///< by vertex in final order; the last element is n
};

/// Numbers the columns of L. `vertex_at[i]` is the i-th vertex of the graph in the final order.
ColumnNumbering number_columns(const CompressedGraph& graph, std::span<const Index> vertex_at,
                               Index workers = 1);

/// Replaces vertices by columns of L. The space of every supernode then contains all its rows, its
/// own columns first. Cost O(rows of L).
void expand_rows(const Supernodes& supernodes, std::span<const Index> column_begin,
                 RowStructure& rows, Index workers = 1);

/// Rows of some supernodes.
struct ForestRows {
  /// Rows of supernode s, ascending, its own columns first: row[begin[s] .. begin[s+1]).
  std::vector<Count> begin{0};
  std::vector<Index> row;
  Permutation renumbering;  ///< renumbering of the columns of these supernodes
};

/// Returns the rows of the first `count` supernodes. Columns of later supernodes occur only as rows
/// and keep their numbers. If `refine` is set, columns inside the first supernodes are reordered by
/// refine_partition(). Vertices are columns, and the heights of `supernodes` must match the rows
/// that result from `pairs`. Cost O(pairs + rows) without the refinement.
ForestRows forest_rows(const Supernodes& supernodes, Index count, std::span<const ColumnPair> pairs,
                       bool refine, Index workers = 1);

}  // namespace espalier::internal
