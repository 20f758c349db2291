// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/entries.hpp"
#include "mapping/local_structure.hpp"
#include "symbolic/elimination_graph.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier {

/// What one rank has of a matrix and of the structure of its factor: the columns of its domain and
/// the shared ones, in the local numbering.
struct RankPart {
  LocalStructure structure;
  /// Of its columns of A, permuted. Their sources count the entries of the rank alone, in the order
  /// of the pattern of A: so the values that it gets are read one after the other.
  PanelEntries entries;
  /// The column of A, and the place in b and x, that each local column is.
  std::vector<Index> original;
};

/// What a rank is told of its domain. Its columns are in the order of elimination.
struct DomainOutline {
  Supernodes supernodes;  ///< count() is the parent of those below shared ones
  std::vector<Index> panel_begin{0};
  std::vector<Index> panel_supernode;
  std::vector<Index> column;    ///< of L
  std::vector<Index> original;  ///< of A
  Count entries = 0;            ///< of A, the shared ones among them
};

/// What all ranks are told of the shared panels: the part of a rank that has no domain.
struct SharedOutline {
  LocalStructure structure;
  std::vector<Index> original;
};

/// The rank that has an entry of A, or RankMap::shared for all, by those of its two columns: there
/// are none between two domains.
constexpr Index entry_owner(Index one, Index other) { return one != RankMap::shared ? one : other; }

/// A shared column among those of the entries that a rank gets; its own ones go by their numbers.
constexpr Index shared_place(Index column) { return ~column; }

/// Makes the part of a rank: the rows of its domain follow from its entries, each a pair of columns
/// in either order. `refine` puts columns inside supernodes into the order that makes their rows
/// contiguous. Cost O(entries + rows of the result).
RankPart rank_part(DomainOutline domain, const SharedOutline& shared,
                   std::vector<ColumnPair> entries, Index rank, bool refine, Index workers = 1);

}  // namespace espalier
