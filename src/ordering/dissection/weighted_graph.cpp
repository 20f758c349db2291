// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/weighted_graph.hpp"

#include <utility>

namespace espalier::internal {

namespace {

/// Allocates the arrays of the joined graph. Returns the first vertex and the first edge of each
/// piece.
std::vector<std::pair<Index, Index>> allocate(WeightedGraph& graph,
                                              const std::vector<WeightedGraph>& pieces) {
  std::vector<std::pair<Index, Index>> first;
  Index vertices = 0;
  Index edges = 0;
  bool edges_weigh = false;
  for (const WeightedGraph& piece : pieces) {
    first.emplace_back(vertices, edges);
    vertices += piece.n();
    edges += static_cast<Index>(piece.neighbour.size());
    graph.total_weight += piece.total_weight;
    edges_weigh = edges_weigh || !piece.edge_weight.empty();
  }
  graph.begin.resize(vertices + 1);
  graph.begin[vertices] = edges;
  graph.weight.resize(vertices);
  graph.neighbour.resize(edges);
  if (edges_weigh) graph.edge_weight.resize(edges);
  return first;
}

}  // namespace

WeightedGraph joined(std::vector<WeightedGraph> pieces, const ParallelLoop& loop) {
  if (pieces.size() == 1) return std::move(pieces.front());
  WeightedGraph graph;
  const auto first = allocate(graph, pieces);
  loop(static_cast<Index>(pieces.size()), [&](Index k) {
    const WeightedGraph piece = std::move(pieces[k]);
    const auto [vertex, edge] = first[k];
    for (Index v = 0; v < piece.n(); ++v) graph.begin[vertex + v] = edge + piece.begin[v];
    std::ranges::copy(piece.weight, graph.weight.begin() + vertex);
    std::ranges::copy(piece.neighbour, graph.neighbour.begin() + edge);
    std::ranges::copy(piece.edge_weight, graph.edge_weight.begin() + edge);
  });
  return graph;
}

WeightedGraph weighted_graph(const CompressedGraph& compressed, const ParallelLoop& loop) {
  const AdjacencyGraph& from = compressed.graph;
  WeightedGraph graph;
  graph.begin.resize(from.n + 1);
  graph.weight.resize(from.n);
  graph.neighbour.resize(from.neighbour.size());
  graph.total_weight = static_cast<Index>(compressed.member.size());
  graph.begin[from.n] = static_cast<Index>(from.begin[from.n]);
  const VertexBlocks blocks(from.n);
  loop(blocks.count(), [&](Index block) {
    const Index first = blocks.first(block);
    const Index last = blocks.last(block);
    for (Index v = first; v < last; ++v) graph.begin[v] = static_cast<Index>(from.begin[v]);
    std::copy(compressed.weight.begin() + first, compressed.weight.begin() + last,
              graph.weight.begin() + first);
    std::copy(from.neighbour.begin() + from.begin[first], from.neighbour.begin() + from.begin[last],
              graph.neighbour.begin() + from.begin[first]);
  });
  return graph;
}

}  // namespace espalier::internal
