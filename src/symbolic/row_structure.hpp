// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "symbolic/amalgamation.hpp"
#include "symbolic/etree.hpp"

namespace espalier {

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

/// The same where the supernodes have the vertices of the graph in its own numbering.
RowStructure row_structure(const EliminationGraph& graph, const Supernodes& supernodes,
                           Index workers = 1);

}  // namespace espalier
