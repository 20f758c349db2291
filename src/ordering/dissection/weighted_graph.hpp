// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "base/uninitialized.hpp"
#include "espalier/types.hpp"
#include "ordering/compression.hpp"

namespace espalier::internal {

/// Graph that dissection works on: a part of a compressed graph, or a coarser image of one. It has
/// both directions of every edge, no loops, and neighbours in any order.
struct WeightedGraph {
  UninitializedVector<Index> begin{0};  ///< n() + 1 offsets
  UninitializedVector<Index> neighbour;
  /// Number of finer edges that an edge represents; empty if all are 1.
  UninitializedVector<Index> edge_weight;
  UninitializedVector<Index> weight;  ///< number of columns that a vertex represents
  Index total_weight = 0;

  Index n() const { return static_cast<Index>(weight.size()); }
  std::span<const Index> of(Index v) const {
    return {neighbour.data() + begin[v], neighbour.data() + begin[v + 1]};
  }
};

/// Division of the vertices 0..n-1 into blocks of consecutive numbers for parallel loops. It
/// depends only on n. A small graph is one block.
class VertexBlocks {
 public:
  explicit VertexBlocks(Index n) : n_(n) {
    while (n >> shift_ > most) ++shift_;
  }

  Index count() const { return std::max<Index>(1, (n_ + size() - 1) >> shift_); }
  Index first(Index block) const { return block << shift_; }
  Index last(Index block) const { return std::min(n_, (block + 1) << shift_); }
  Index of(Index v) const { return v >> shift_; }

 private:
  static constexpr Index most = 128;
  Index size() const { return Index{1} << shift_; }

  Index n_;
  int shift_ = 10;
};

/// Returns the graph whose vertices are those of the pieces, one piece after the other. The
/// neighbours have their numbers in the whole graph. Cost O(n + edges), or nothing for one piece.
WeightedGraph joined(std::vector<WeightedGraph> pieces, const ParallelLoop& loop);

/// Returns a copy of a compressed graph.
WeightedGraph weighted_graph(const CompressedGraph& compressed,
                             const ParallelLoop& loop = serial_loop);

}  // namespace espalier::internal
