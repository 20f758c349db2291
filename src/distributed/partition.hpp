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

/// The part of a matrix and of its factor's structure that one rank has: the columns of its domain
/// and the shared columns, in the local numbering.
struct RankPart {
  LocalStructure structure;
  /// The entries of its columns of A, permuted. A source is the number of an entry among those of
  /// this rank, in the order of the pattern of A. So the rank reads the received values one after
  /// the other.
  PanelEntries entries;
  /// The column of A, which is also the row in b and x, of each local column.
  std::vector<Index> original;
};

/// Description of a domain that the root sends to its rank. The columns are in the order of
/// elimination.
struct DomainSizes {
  Supernodes supernodes;  ///< the parent count() stands for a shared supernode
  std::vector<Index> panel_begin{0};
  std::vector<Index> panel_supernode;
  std::vector<Index> column;    ///< columns of L
  std::vector<Index> original;  ///< columns of A
  /// The other column of each column's pair, or itself; empty without pairs. The numbers are those
  /// of RankDivision::places().
  std::vector<Index> partner;
  Count entries = 0;  ///< number of entries of A, including shared ones
};

/// Description of the shared panels for all ranks. The structure is that of a rank without a
/// domain.
struct SharedSizes {
  LocalStructure structure;
  std::vector<Index> original;
  std::vector<Index> partner;  ///< as in DomainSizes
};

/// Returns the rank that has an entry of A, or RankMap::shared if all have it. The arguments are
/// the ranks of its two columns. No entry connects two domains.
constexpr Index entry_owner(Index one, Index other) { return one != RankMap::shared ? one : other; }

/// Returns the number of a shared column in the entries that a rank receives. Columns of its domain
/// keep their numbers.
constexpr Index shared_place(Index column) { return ~column; }

/// Returns the part of a rank. Computes the rows of the domain from the entries. Each entry is a
/// pair of columns in either order. `refine` reorders columns inside supernodes so that their rows
/// are contiguous; this can put the two columns of a pair into different panels. Cost O(entries +
/// rows of the result).
RankPart rank_part(DomainSizes domain, const SharedSizes& shared, std::vector<ColumnPair> entries,
                   Index rank, bool refine, Index workers = 1);

/// Division of an analyzed matrix among ranks, by the root. The root computes rows of L only for
/// the upper part of the forest; the ranks compute the other rows.
class RankDivision {
 public:
  /// The whole matrix on the root, with the options of the division.
  struct Whole {
    const SymbolicFactor& symbolic;  ///< only sizes are needed
    PatternView pattern;
    const KernelCost& cost;
    Mapping mapping = Mapping::proportional;
    const BlockGrid* cells = nullptr;
    bool refine = true;  ///< see rank_part()
    Index workers = 1;   ///< threads
    TileLimits tiles{};  ///< limits for the tiles of shared panels
    Alone alone = Alone::subtrees;
  };

  /// The data that `whole` refers to must outlive the object. Throws the UsageError of
  /// map_to_ranks(). Cost O(columns + entries of A + rows of the upper part).
  RankDivision(const Whole& whole, Index ranks);

  const SharedSizes& shared() const { return shared_; }
  /// Cost O(supernodes log panels + columns) of the result.
  DomainSizes domain(Index rank) const;
  /// Returns, per column of A, the rank whose domain has the column, or RankMap::shared. See
  /// entry_owner().
  const std::vector<Index>& rank_of_column() const { return rank_; }
  std::vector<Index> take_rank_of_column() { return std::move(rank_); }
  /// Returns an entry of A in the form that rank_part() expects.
  ColumnPair places(Index row, Index column) const { return {place_[row], place_[column]}; }
  /// Returns the predicted imbalances of work and of memory.
  Load imbalance() const;

 private:
  void number_supernodes();
  void number_columns();
  void count_entries();
  void divide_shared();
  /// Returns DomainSizes::partner for columns of A.
  std::vector<Index> partners(std::span<const Index> original) const;

  const Whole whole_;
  const ForestTop top_;
  const RankMap map_;
  SharedSizes shared_;
  std::vector<Index> domain_of_;  ///< per supernode, its rank, or RankMap::shared
  std::vector<Index> number_;     ///< per supernode, its number in its domain
  /// Per rank, the supernodes of its domain, ascending.
  std::vector<std::vector<Index>> supernodes_;
  std::vector<Index> rank_;     ///< per column of A; see rank_of_column()
  std::vector<Index> place_;    ///< per column of A, its number for rank_part()
  std::vector<Count> entries_;  ///< per rank, its number of entries of A
};

}  // namespace espalier::internal
