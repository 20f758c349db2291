// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "distributed/ptscotch.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Returns the first vertex of each rank, and n at the end. The parts have about the same number of
/// vertices and neighbours together.
std::vector<Index> cut_by_neighbours(const AdjacencyGraph& graph, Index ranks) {
  const auto work_before = [&](Index v) { return graph.begin[v] + v; };
  std::vector<Index> first{0};
  for (Index rank = 1; rank < ranks; ++rank) {
    const double wanted = static_cast<double>(work_before(graph.n)) * rank / ranks;
    Index v = first.back();
    while (v < graph.n && static_cast<double>(work_before(v)) < wanted) ++v;
    first.push_back(v);
  }
  first.push_back(graph.n);
  return first;
}

GraphPart cut_out(const CompressedGraph& compressed, Index first, Index end) {
  const AdjacencyGraph& graph = compressed.graph;
  GraphPart part;
  part.weight.assign(compressed.weight.begin() + first, compressed.weight.begin() + end);
  part.begin.clear();
  for (Index v = first; v <= end; ++v) part.begin.push_back(graph.begin[v] - graph.begin[first]);
  part.neighbour.assign(graph.neighbour.begin() + graph.begin[first],
                        graph.neighbour.begin() + graph.begin[end]);
  return part;
}

/// Calls f for each array of a part.
template <typename Part, typename F>
void for_each_array_of_graph(Part& part, F f) {
  f(part.begin);
  f(part.neighbour);
  f(part.weight);
}

/// Division of the vertices of a graph by the columns that ranks have.
struct GraphDivision {
  std::vector<Index> first;  ///< per rank, its first vertex in the division; n at the end
  /// Per column, its vertex in the division; -1 if it is not the first member of a vertex.
  std::vector<Index> vertex_of;
  std::vector<Index> weight;  ///< per vertex of the division
  std::vector<Index> vertex;  ///< per vertex of the division, its vertex in the graph
};

GraphDivision division_by_columns(const CompressedGraph& graph,
                                  std::span<const Index> rank_of_column, Index ranks) {
  const auto rank_of = [&](Index v) { return rank_of_column[graph.members(v)[0]]; };
  GraphDivision division;
  division.first.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (Index v = 0; v < graph.graph.n; ++v) ++division.first[rank_of(v) + 1];
  std::partial_sum(division.first.begin(), division.first.end(), division.first.begin());
  std::vector<Index> next = division.first;
  division.vertex_of.assign(rank_of_column.size(), -1);
  division.vertex.resize(static_cast<std::size_t>(graph.graph.n));
  division.weight.resize(division.vertex.size());
  for (Index v = 0; v < graph.graph.n; ++v) {
    const Index place = next[rank_of(v)]++;
    division.vertex_of[graph.members(v)[0]] = place;
    division.vertex[place] = v;
    division.weight[place] = graph.weight[v];
  }
  return division;
}

struct Edge {
  Index from;
  Index to;
  bool operator<(const Edge& other) const {
    return std::tie(from, to) < std::tie(other.from, other.to);
  }
};

/// Returns both directions of the edges in a part, sorted by the rank that has their first vertex.
std::vector<std::vector<Edge>> edges_in(const MatrixPart& part, const GraphDivision& division) {
  std::vector<std::vector<Edge>> edges(division.first.size() - 1);
  const auto add = [&](Index from, Index to) {
    const auto after = std::upper_bound(division.first.begin(), division.first.end(), from);
    edges[after - division.first.begin() - 1].push_back({from, to});
  };
  for (const MatrixPart::Entry& e : part.entry) {
    const Index u = division.vertex_of[e.row];
    const Index v = division.vertex_of[e.column];
    if (u < 0 || v < 0 || u == v) continue;
    add(u, v);
    add(v, u);
  }
  return edges;
}

}  // namespace

DividedGraph divide_graph(const Communicator& comm, const CompressedGraph* graph) {
  DividedGraph divided;
  std::vector<Index> first;
  if (comm.is_root()) first = cut_by_neighbours(graph->graph, comm.size());
  for (Index rank = 1; rank < comm.size(); ++rank) {
    const GraphPart part = agree(comm, [&] {
      return comm.is_root() ? cut_out(*graph, first[rank], first[rank + 1]) : GraphPart{};
    });
    if (comm.is_root()) {
      for_each_array_of_graph(part, [&](const auto& array) { comm.send(std::span(array), rank); });
    } else if (comm.rank() == rank) {
      for_each_array_of_graph(divided.part, [&](auto& array) { comm.receive(array, 0); });
    }
  }
  agree(comm, [&] {
    if (!comm.is_root()) return;
    divided.part = cut_out(*graph, 0, first[1]);
    divided.vertex.resize(static_cast<std::size_t>(graph->graph.n));
    std::iota(divided.vertex.begin(), divided.vertex.end(), 0);
  });
  return divided;
}

DividedGraph divide_graph(const Communicator& comm, const CompressedGraph* graph,
                          std::span<const Index> rank_of_column, const MatrixPart& part) {
  GraphDivision division = agree(comm, [&] {
    return comm.is_root() ? division_by_columns(*graph, rank_of_column, comm.size())
                          : GraphDivision{};
  });
  comm.broadcast(division.first);
  comm.broadcast(division.vertex_of);
  comm.broadcast(division.weight);
  const auto edges = agree(comm, [&] { return edges_in(part, division); });
  std::vector<Edge> own;
  exchange<Edge>(
      comm, [&](Index rank) { return std::span(edges[rank]); },
      [&](Index, std::span<const Edge> list) { own.insert(own.end(), list.begin(), list.end()); });
  std::sort(own.begin(), own.end());

  const Index first = division.first[comm.rank()];
  const Index end = division.first[comm.rank() + 1];
  DividedGraph divided{{}, std::move(division.vertex)};
  divided.part.weight.assign(division.weight.begin() + first, division.weight.begin() + end);
  std::size_t k = 0;
  for (Index v = first; v < end; ++v) {
    for (; k < own.size() && own[k].from == v; ++k) divided.part.neighbour.push_back(own[k].to);
    divided.part.begin.push_back(static_cast<Count>(k));
  }
  return divided;
}

}  // namespace espalier::internal
