// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/batches.hpp"
#include "graph/rank_graphs.hpp"

namespace espalier::internal::support {

/// Returns a grid of workers for each rank. The grids differ.
inline std::vector<BlockGrid> worker_grids(Index ranks) {
  const BlockGrid usual[] = {{1, 1}, {2, 2}, {1, 3}, {3, 1}};
  std::vector<BlockGrid> grids;
  for (Index rank = 0; rank < ranks; ++rank) grids.push_back(usual[rank % std::size(usual)]);
  return grids;
}

/// Overheads per task, in seconds. With the first, no update joins the batch of its source; with
/// the second, every possible update does.
inline constexpr double no_overhead = 0;
inline constexpr double long_overhead = 1e9;

/// Returns the graphs by blocks of all ranks, which share all panels, with their batches.
inline RankGraphs batched_graphs(const PanelStructure& whole, Index ranks, double overhead) {
  RankGraphs all = rank_graphs(whole, ranks, Mapping::block_cyclic, 0, Granularity::block,
                               Fill::by_first_writer, {}, Alone::blocks);
  const std::vector<BlockGrid> grids = worker_grids(ranks);
  for (std::size_t r = 0; r < all.graph.size(); ++r) {
    batch_tasks(all.graph[r], all.local[r], grids, overhead);
  }
  return all;
}

/// Calls visit(whole, graphs) for all sample structures on two to six ranks and for both overheads,
/// until a test fails.
template <class Visit>
void for_each_batched_graphs(Visit visit) {
  for (const NamedStructure& sample : sample_structures()) {
    for (const Index ranks : {2, 3, 4, 6}) {
      for (const double overhead : {no_overhead, long_overhead}) {
        SCOPED_TRACE(sample.name + ", " + std::to_string(ranks) + " ranks, overhead " +
                     std::to_string(overhead));
        visit(sample.symbolic, batched_graphs(sample.symbolic, ranks, overhead));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace espalier::internal::support
