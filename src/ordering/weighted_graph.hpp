// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "ordering/compression.hpp"

namespace espalier {

/// What dissection works on: a part of a compressed graph, or a coarser image of one. Both
/// directions of every edge, no loops, neighbours in any order.
struct WeightedGraph {
  std::vector<Index> begin{0};  ///< n() + 1 offsets
  std::vector<Index> neighbour;
  std::vector<Index> edge_weight;  ///< finer edges behind an edge; empty where each is one
  std::vector<Index> weight;       ///< columns behind a vertex
  Index total_weight = 0;

  Index n() const { return static_cast<Index>(weight.size()); }
  std::span<const Index> of(Index v) const {
    return {neighbour.data() + begin[v], neighbour.data() + begin[v + 1]};
  }
};

inline WeightedGraph weighted_graph(const CompressedGraph& compressed) {
  WeightedGraph graph;
  graph.begin.assign(compressed.graph.begin.begin(), compressed.graph.begin.end());
  graph.neighbour = compressed.graph.neighbour;
  graph.weight = compressed.weight;
  graph.total_weight = static_cast<Index>(compressed.member.size());
  return graph;
}

}  // namespace espalier
