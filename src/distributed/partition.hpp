// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "codelets/entries.hpp"
#include "mapping/forest_top.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/local_structure.hpp"
#include "mapping/rank_map.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/supernodes.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// What one rank has of a matrix and of the structure of its factor: the columns of its domain and
/// the shared ones, in the local numbering.
struct RankPart {
  LocalStructure structure;
  /// These are the entries of its columns of A, permuted. Their sources count the entries of the
  /// rank alone, in the order of the pattern of A: so the values that it gets are read one after
  /// the other.
  PanelEntries entries;
  /// The column of A, and the place in b and x, that each local column is.
  std::vector<Index> original;
};

/// What a rank is told of its domain. Its columns are in the order of elimination.
struct DomainOutline {
  Supernodes supernodes;  ///< count() is the parent of those below shared ones
  std::vector<Index> panel_begin{0};
  std::vector<Index> panel_supernode;
  std::vector<Index> column;    ///< columns of L
  std::vector<Index> original;  ///< columns of A
  Count entries = 0;            ///< entries of A, the shared ones among them
};

/// What all ranks are told of the shared panels: the part of a rank that has no domain.
struct SharedOutline {
  LocalStructure structure;
  std::vector<Index> original;
};

/// Returns the rank that has an entry of A, or RankMap::shared for all, by those of its two
/// columns: there are none between two domains.
constexpr Index entry_owner(Index one, Index other) { return one != RankMap::shared ? one : other; }

/// Returns a shared column among those of the entries that a rank gets; its own ones go by their
/// numbers.
constexpr Index shared_place(Index column) { return ~column; }

/// Makes the part of a rank: the rows of its domain follow from its entries, each a pair of columns
/// in either order. `refine` puts columns inside supernodes into the order that makes their rows
/// contiguous. Cost O(entries + rows of the result).
RankPart rank_part(DomainOutline domain, const SharedOutline& shared,
                   std::vector<ColumnPair> entries, Index rank, bool refine, Index workers = 1);

/// How the root divides an analyzed matrix among ranks. It makes no rows of L but those of the
/// upper part of the forest; ranks make the others.
class RankDivision {
 public:
  /// What the root has, and how it is to be divided.
  struct Whole {
    const SymbolicFactor& symbolic;  ///< an outline is enough
    PatternView pattern;
    const KernelCost& cost;
    Mapping mapping = Mapping::proportional;
    const BlockGrid* cells = nullptr;
    bool refine = true;  ///< see rank_part()
    Index workers = 1;   ///< threads
    TileLimits tiles{};  ///< those of shared panels
    Alone alone = Alone::subtrees;
  };

  /// The whole outlives it. Throws UsageError as map_to_ranks(). Cost O(columns + entries of A +
  /// rows of the upper part).
  RankDivision(const Whole& whole, Index ranks);

  const SharedOutline& shared() const { return shared_; }
  /// Cost O(supernodes log panels + columns) of the result.
  DomainOutline domain(Index rank) const;
  /// Returns for each column of A the rank whose domain it is in, or RankMap::shared. See
  /// entry_owner().
  const std::vector<Index>& rank_of_column() const { return rank_; }
  std::vector<Index> take_rank_of_column() { return std::move(rank_); }
  /// Returns an entry of A as rank_part() takes it.
  ColumnPair places(Index row, Index column) const { return {place_[row], place_[column]}; }
  /// Returns the predicted imbalances of work and of memory.
  Load imbalance() const;

 private:
  void number_supernodes();
  void number_columns();
  void count_entries();
  void outline_shared();

  const Whole whole_;
  const ForestTop top_;
  const RankMap map_;
  SharedOutline shared_;
  std::vector<Index> domain_of_;  ///< for each supernode, its rank, or RankMap::shared
  std::vector<Index> number_;     ///< for each supernode, its number in its domain
  std::vector<std::vector<Index>> supernodes_;  ///< by rank, those of its domain, ascending
  std::vector<Index> rank_;                     ///< for each column of A, see rank_of_column()
  std::vector<Index> place_;    ///< for each column of A, its place as rank_part() takes it
  std::vector<Count> entries_;  ///< entries of A by rank
};

}  // namespace espalier::internal
