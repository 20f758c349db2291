// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/rank_map.hpp"

namespace espalier {

/// The shared panels, numbered from 0, and what tasks with a shared source do to each of their
/// blocks. Cost O(pairs of shared blocks).
class SharedWork {
 public:
  /// `domain` as in RankMap.
  SharedWork(const PanelStructure& structure, std::span<const double> seconds,
             const std::vector<Index>& domain);

  /// Shared panels of each shared supernode: [supernode_begin[s], supernode_begin[s+1]).
  std::vector<Index> supernode_begin{0};

  Index supernodes() const { return static_cast<Index>(supernode_begin.size()) - 1; }
  /// What the blocks of a supernode take.
  double supernode_seconds(Index supernode) const;
  /// The same by the cells of a grid over which they are spread.
  std::vector<double> cell_seconds(Index supernode, const BlockGrid& cells) const;
  /// Calls f(row, column, seconds) for the blocks of shared panel `column`, numbers of panels.
  template <typename F>
  void for_each_block(Index column, F f) const {
    for (Count b = begin_[column]; b < begin_[column + 1]; ++b) f(row_[b], column, seconds_[b]);
  }

 private:
  void add_panel(const PanelStructure& structure, Index panel, double seconds,
                 const std::vector<Index>& number);
  /// The block of panel `column` that faces `row`, looked for from block `from` on.
  Count find(Index row, Index column, Count from) const;

  std::vector<Count> begin_{0};  ///< blocks of each shared panel
  std::vector<Index> row_;       ///< the shared panel that each faces
  std::vector<double> seconds_;  ///< of each
  std::vector<double> flops_;    ///< of each by one source, while that is added
};

/// Predicted seconds of the work of each rank: that of a domain panel where it is, that of a shared
/// one where the blocks are that it writes.
std::vector<double> rank_seconds(const PanelStructure& structure, std::span<const double> seconds,
                                 const RankMap& map);
/// The same where the shared part is known.
std::vector<double> rank_seconds(std::span<const double> seconds, const RankMap& map,
                                 const SharedWork& shared);
/// Of the domains alone.
std::vector<double> domain_seconds(std::span<const double> seconds, const RankMap& map);

/// Entries of L that each rank stores.
std::vector<Count> rank_entries(const PanelStructure& structure, const RankMap& map);

/// Most over mean, 1 where all ranks have the same or nothing.
template <typename Number>
double imbalance(const std::vector<Number>& of_ranks) {
  const auto sum = static_cast<double>(std::accumulate(of_ranks.begin(), of_ranks.end(), Number{}));
  if (sum == 0) return 1;
  const auto most = static_cast<double>(*std::max_element(of_ranks.begin(), of_ranks.end()));
  return most * static_cast<double>(of_ranks.size()) / sum;
}

}  // namespace espalier
