// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/splitting.hpp"

#include <utility>

#include "ordering/dissection/vertex_separator.hpp"

namespace espalier::internal {

namespace {

using PartCounts = std::array<Index, 3>;

/// Numbers of the vertices within their parts.
class PartNumbers {
 public:
  PartNumbers(const WeightedGraph& graph, const Separation& separation, const ParallelLoop& loop);

  const VertexBlocks& blocks() const { return blocks_; }
  Index of(Index v) const { return number_[v]; }
  Index size(std::uint8_t part) const { return size_[part]; }
  /// Returns the number of the first vertex of a part in a block.
  Index first(Index block, std::uint8_t part) const { return first_[block][part]; }
  /// Returns the number of vertices of a part in a block.
  Index count(Index block, std::uint8_t part) const { return count_[block][part]; }
  /// Returns the sum of the degrees of the vertices of a part in a block.
  Index degrees(Index block, std::uint8_t part) const { return degrees_[block][part]; }

 private:
  VertexBlocks blocks_;
  UninitializedVector<Index> number_;
  std::vector<PartCounts> first_, count_, degrees_;
  PartCounts size_{};
};

PartNumbers::PartNumbers(const WeightedGraph& graph, const Separation& separation,
                         const ParallelLoop& loop)
    : blocks_(graph.n()),
      number_(graph.n()),
      first_(blocks_.count()),
      count_(blocks_.count()),
      degrees_(blocks_.count()) {
  loop(blocks_.count(), [&](Index block) {
    PartCounts count{};
    PartCounts degrees{};
    for (Index v = blocks_.first(block); v < blocks_.last(block); ++v) {
      const std::uint8_t part = separation.part[v];
      number_[v] = count[part]++;
      degrees[part] += graph.begin[v + 1] - graph.begin[v];
    }
    count_[block] = count;
    degrees_[block] = degrees;
  });
  for (Index block = 0; block < blocks_.count(); ++block) {
    first_[block] = size_;
    for (std::size_t part = 0; part < size_.size(); ++part) size_[part] += count_[block][part];
  }
  if (blocks_.count() == 1) return;
  loop(blocks_.count(), [&](Index block) {
    for (Index v = blocks_.first(block); v < blocks_.last(block); ++v) {
      number_[v] += first_[block][separation.part[v]];
    }
  });
}

/// Returns the vertices of a side that are in a block.
WeightedGraph piece_of(const WeightedGraph& graph, const Separation& separation,
                       const PartNumbers& numbers, std::uint8_t side, Index block) {
  WeightedGraph piece;
  const Index n = numbers.count(block, side);
  piece.begin.resize(n + 1);
  piece.weight.resize(n);
  // The loop below writes each neighbour before it knows whether to keep it.
  piece.neighbour.resize(numbers.degrees(block, side) + 1);
  Index* const neighbour = piece.neighbour.data();
  Index k = 0;
  Index end = 0;
  for (Index v = numbers.blocks().first(block); v < numbers.blocks().last(block); ++v) {
    if (separation.part[v] != side) continue;
    piece.weight[k] = graph.weight[v];
    piece.total_weight += graph.weight[v];
    for (const Index u : graph.of(v)) {
      neighbour[end] = numbers.of(u);
      end += separation.part[u] == side ? 1 : 0;
    }
    piece.begin[++k] = end;
  }
  piece.neighbour.resize(end);
  return piece;
}

DissectionPart side_of(const DissectionPart& part, const Separation& separation,
                       const PartNumbers& numbers, std::uint8_t side, const ParallelLoop& loop) {
  const VertexBlocks& blocks = numbers.blocks();
  DissectionPart result;
  result.vertex.resize(numbers.size(side));
  std::vector<WeightedGraph> pieces(blocks.count());
  loop(blocks.count(), [&](Index block) {
    pieces[block] = piece_of(part.graph, separation, numbers, side, block);
    Index k = numbers.first(block, side);
    for (Index v = blocks.first(block); v < blocks.last(block); ++v) {
      if (separation.part[v] == side) result.vertex[k++] = part.vertex[v];
    }
  });
  result.graph = joined(std::move(pieces), loop);
  return result;
}

}  // namespace

SplitPart split_part(const DissectionPart& part, const Separation& separation,
                     const ParallelLoop& loop) {
  const PartNumbers numbers(part.graph, separation, loop);
  SplitPart result;
  for (std::uint8_t side = 0; side < 2; ++side) {
    result.sides[side] = side_of(part, separation, numbers, side, loop);
    result.sides[side].seed = next_seed(part.seed + side);
  }
  result.sides[0].first = part.first;
  result.sides[1].first = part.first + numbers.size(0);
  result.separator_first = result.sides[1].first + numbers.size(1);
  result.separator.reserve(numbers.size(Separation::separator));
  for (Index v = 0; v < part.graph.n(); ++v) {
    if (separation.part[v] == Separation::separator) result.separator.push_back(part.vertex[v]);
  }
  return result;
}

}  // namespace espalier::internal
