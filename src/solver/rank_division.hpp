// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "mapping/forest_top.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/rank_map.hpp"
#include "solver/rank_part.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier {

/// How the root divides an analyzed matrix among ranks. It makes no rows of L but those of the
/// upper part of the forest; ranks make the others.
class RankDivision {
 public:
  /// What the root has, and how it is to be divided.
  struct Whole {
    const SymbolicFactor& symbolic;  ///< an outline is enough
    const LowerPattern& pattern;
    const KernelCost& cost;
    Mapping mapping = Mapping::proportional;
    const BlockGrid* cells = nullptr;
    bool refine = true;  ///< see rank_part()
    Index workers = 1;   ///< threads
    TileLimits tiles{};  ///< of shared panels
  };

  /// The whole outlives it. Throws UsageError as map_to_ranks(). Cost O(columns + entries of A +
  /// rows of the upper part).
  RankDivision(const Whole& whole, Index ranks);

  const SharedOutline& shared() const { return shared_; }
  /// Cost O(supernodes log panels + columns) of the result.
  DomainOutline domain(Index rank) const;
  /// Of each column of A: the rank whose domain it is in, or RankMap::shared. See entry_owner().
  const std::vector<Index>& rank_of_column() const { return rank_; }
  std::vector<Index> take_rank_of_column() { return std::move(rank_); }
  /// An entry of A as rank_part() takes it.
  ColumnPair places(Index row, Index column) const { return {place_[row], place_[column]}; }
  /// Predicted, of work and of memory.
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
  std::vector<Index> domain_of_;                ///< of each supernode: its rank, or RankMap::shared
  std::vector<Index> number_;                   ///< of each supernode in its domain
  std::vector<std::vector<Index>> supernodes_;  ///< of the domain of each rank, ascending
  std::vector<Index> rank_;                     ///< of each column of A
  std::vector<Index> place_;                    ///< of each column of A
  std::vector<Count> entries_;                  ///< of A: of each rank
};

}  // namespace espalier
