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

/// A postordered forest cut into parts for threads: groups of whole subtrees, and above them the
/// top. Group g is all of [border[g], border[g+1]) that is not in the top. What one vertex of a
/// group needs of others below it is in the same group.
struct SubtreeGroups {
  std::vector<Index> border;
  std::vector<char> in_top;  ///< by vertex
  std::vector<Index> top;    ///< ascending

  Index count() const { return static_cast<Index>(border.size()) - 1; }

  template <typename Visit>
  void for_each_in(Index group, Visit visit) const {
    for (Index v = border[group]; v < border[group + 1]; ++v) {
      if (!in_top[v]) visit(v);
    }
  }
};

/// The top is the vertices whose subtrees take more than half of a worker's share of the work;
/// one worker, or little work, makes one group of all. `work` is of every vertex alone. Cost O(n).
SubtreeGroups group_subtrees(std::span<const Index> parent, std::span<const Index> work,
                             Index workers);

/// Rows of one supernode that are vertices of another, the one that they face: a range of the rows.
struct FacingRange {
  Count begin;
  Index size;
  Index source;  ///< the supernode that has the rows
};

/// The vertices below the diagonal block of every supernode, and which supernodes they face.
struct RowStructure {
  /// Room of supernode s: row[begin[s] .. begin[s+1]), an entry for each row of L in it. The
  /// vertices below the diagonal block are `below[s]` entries, ascending, behind room for its
  /// columns.
  std::vector<Count> begin{0};
  std::vector<Index> row;
  std::vector<Index> below;
  /// The ranges that face supernode s: facing[facing_begin[s] .. facing_begin[s+1]), in any order.
  std::vector<Count> facing_begin{0};
  std::vector<FacingRange> facing;

  std::span<const FacingRange> facing_ranges(Index s) const {
    return {facing.data() + facing_begin[s], facing.data() + facing_begin[s + 1]};
  }
  std::span<const Index> rows(const FacingRange& range) const {
    return {row.data() + range.begin, static_cast<std::size_t>(range.size)};
  }
};

/// Vertices of L below the diagonal blocks, in the numbering that amalgamation leads to: row i
/// belongs to all supernodes on the paths from the earlier neighbours of vertex i up to its own.
/// Cost O(edges + rows). The result does not depend on `workers` but for the order of the ranges
/// that face a supernode.
RowStructure row_structure(const EliminationOrder& order, const Amalgamation& amalgamation,
                           Index workers = 1);

/// Returns the rows where the supernodes have the vertices of the graph in its own numbering.
RowStructure row_structure(const EliminationGraph& graph, const Supernodes& supernodes,
                           Index workers = 1);

/// Columns of L from the vertices of a compressed graph in their final order: the members of each
/// vertex, one after the other.
struct ColumnNumbering {
  Permutation permutation;          ///< numbering of A (old) to numbering of L (new)
  std::vector<Index> column_begin;  ///< by vertex of the final order; n behind the last
};

/// `vertex_at[i]` is the i-th vertex of the graph in the final order.
ColumnNumbering number_columns(const CompressedGraph& graph, std::span<const Index> vertex_at,
                               Index workers = 1);

/// Turns vertices into columns of L: the room of every supernode then holds its rows, its own
/// columns first. Cost O(rows of L).
void expand_rows(const Supernodes& supernodes, std::span<const Index> column_begin,
                 RowStructure& rows, Index workers = 1);

/// The rows of some supernodes.
struct ForestRows {
  /// Rows of supernode s, ascending, its own columns first: row[begin[s] .. begin[s+1]).
  std::vector<Count> begin{0};
  std::vector<Index> row;
  Permutation renumbering;  ///< that of the columns of these supernodes
};

/// The rows of the first `count` supernodes. Those behind them are there as rows of these, and keep
/// their numbers; columns inside the others are put into the order of refine_partition() where
/// `refine` says so. All are counted in columns, and a height is that of the rows that `pairs`
/// make. Cost O(pairs + rows) but for the refinement.
ForestRows forest_rows(const Supernodes& supernodes, Index count, std::span<const ColumnPair> pairs,
                       bool refine, Index workers = 1);

}  // namespace espalier::internal
