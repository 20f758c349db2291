// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/block_grid.hpp"
#include "base/panel_structure.hpp"

namespace espalier {

/// How ranks share the work.
enum class Mapping { proportional, block_cyclic };

/// Consecutive ranks that own the blocks of a panel, 2D block-cyclic.
struct RankGrid {
  Index first = 0;
  BlockGrid cells;

  Index size() const { return cells.size(); }
  Index rank(Index row, Index column) const { return first + owner_of_block(cells, row, column); }
};

/// The forest of supernodes cut in two: below, domains, whole subtrees that belong to one rank
/// each; above, shared panels, whose blocks belong to the ranks of a grid.
struct RankMap {
  static constexpr Index shared = -1;
  Index ranks = 1;
  std::vector<Index> domain;   ///< of each panel: the rank that it belongs to, or `shared`
  std::vector<RankGrid> grid;  ///< of the shared panels, ascending; i and j count these, too
};

/// proportional: subtrees get ranks by their share of the `seconds` of all panels (Pothen and Sun,
/// "A mapping algorithm for parallel sparse Cholesky factorization", 1993), a subtree several ranks
/// only where the work of the ranks does not balance without; a supernode with several ranks is
/// spread over the most square grid of them. block_cyclic: small subtrees go to the rank with the
/// least work, all else over one grid of all ranks, `cells` where given; UsageError unless that has
/// as many cells as there are ranks. Cost O(panels log panels + pairs of shared blocks).
RankMap map_to_ranks(const PanelStructure& structure, std::span<const double> seconds, Index ranks,
                     Mapping mapping = Mapping::proportional, const BlockGrid* cells = nullptr);

/// Predicted seconds of the work of each rank: that of a domain panel where it is, that of a shared
/// one where the blocks are that it writes.
std::vector<double> rank_seconds(const PanelStructure& structure, std::span<const double> seconds,
                                 const RankMap& map);

/// Entries of L that each rank stores.
std::vector<Count> rank_entries(const PanelStructure& structure, const RankMap& map);

/// Most over mean, 1 where all ranks have the same or nothing.
template <typename Number>
double imbalance(const std::vector<Number>& of_ranks) {
  const double sum =
      static_cast<double>(std::accumulate(of_ranks.begin(), of_ranks.end(), Number{}));
  if (sum == 0) return 1;
  const auto most = static_cast<double>(*std::max_element(of_ranks.begin(), of_ranks.end()));
  return most * static_cast<double>(of_ranks.size()) / sum;
}

/// Parent of every supernode, -1 at a root.
std::vector<Index> supernode_parents(const PanelStructure& structure);

}  // namespace espalier
