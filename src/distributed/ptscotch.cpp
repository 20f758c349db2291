// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/ptscotch.hpp"

#include <ptscotch.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "espalier/error.hpp"
#include "ordering/scotch_objects.hpp"

namespace espalier::internal {

namespace {

/// Returns where the vertices of each rank begin, and n.
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

/// How the vertices of a graph are divided by the columns that ranks have.
struct GraphDivision {
  std::vector<Index> first;      ///< by rank, its first vertex of the division; n at the end
  std::vector<Index> vertex_of;  ///< by column, its vertex of the division; -1: it is no first
  std::vector<Index> weight;     ///< by vertex of the division
  std::vector<Index> vertex;     ///< for each vertex of the division, that of the graph
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

/// Returns both directions of the edges in a part, each for the rank that has the vertex it begins
/// at.
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

namespace {

/// Asks for vertex separators by all ranks, refined by each in a band around what the coarser graph
/// gave; the best result is that of all. Parts that are with one rank alone are ordered as
/// scotch_ordering() does.
std::string strategy_text() {
  const std::string separators = "m{vert=120,low=h{pass=5},asc=f{bal=0.2,pass=3}}";
  const std::string alone =
      "n{sep=/(vert>200)?" + separators + ";,ole=f{cmin=0,cmax=100000,frat=0.0},ose=g}";
  return "n{sep=m{vert=100,low=q{strat=h},asc=b{width=3,strat=q{strat=f}},seq=q{strat=" +
         separators + "}},ole=q{strat=" + alone + "},ose=s,osq=" + alone + "}";
}

/// A graph that is divided among the ranks of a communicator.
struct DividedScotchGraph {
  explicit DividedScotchGraph(MPI_Comm comm) { SCOTCH_dgraphInit(&handle, comm); }
  ~DividedScotchGraph() { SCOTCH_dgraphExit(&handle); }
  DividedScotchGraph(const DividedScotchGraph&) = delete;
  DividedScotchGraph& operator=(const DividedScotchGraph&) = delete;
  SCOTCH_Dgraph handle;
};

struct DividedScotchOrdering {
  explicit DividedScotchOrdering(SCOTCH_Dgraph& of) : graph(of) {
    SCOTCH_dgraphOrderInit(&graph, &handle);
  }
  ~DividedScotchOrdering() { SCOTCH_dgraphOrderExit(&graph, &handle); }
  DividedScotchOrdering(const DividedScotchOrdering&) = delete;
  DividedScotchOrdering& operator=(const DividedScotchOrdering&) = delete;
  SCOTCH_Dgraph& graph;
  SCOTCH_Dordering handle;
};

/// Returns how many neighbours the parts have together.
Count all_neighbours(const Communicator& comm, const GraphPart& part) {
  const std::vector<Count> each = comm.gather_from_all(std::ssize(part.neighbour));
  return std::accumulate(each.begin(), each.end(), Count{0});
}

/// Returns numbers of the type that Scotch counts with; the array is never null, which would mean
/// that there is no such array on any rank.
template <typename Number>
std::vector<SCOTCH_Num> numbers(const std::vector<Number>& of) {
  std::vector<SCOTCH_Num> result;
  result.reserve(of.size() + 1);
  result.assign(of.begin(), of.end());
  return result;
}

class PtScotch {
 public:
  PtScotch(const Communicator& comm, const GraphPart& part)
      : comm_(comm),
        begin_(numbers(part.begin)),
        neighbour_(numbers(part.neighbour)),
        weight_(numbers(part.weight)),
        unbound_(comm.get()),
        bound_(comm.get()) {}

  /// Returns the places of the vertices of the part.
  std::vector<SCOTCH_Num> places() {
    const std::string strategy = strategy_text();
    expect(prepare_scotch(context_, strategy_, SCOTCH_stratDgraphOrder, strategy.c_str()), "start");
    const auto vertices = static_cast<SCOTCH_Num>(weight_.size());
    const auto neighbours = static_cast<SCOTCH_Num>(neighbour_.size());
    expect(SCOTCH_dgraphBuild(&unbound_.handle, 0, vertices, vertices, begin_.data(), nullptr,
                              weight_.data(), nullptr, neighbours, neighbours, neighbour_.data(),
                              nullptr, nullptr) == 0,
           "take");
    expect(SCOTCH_contextBindDgraph(&context_.handle, &unbound_.handle, &bound_.handle) == 0,
           "bind");
    DividedScotchOrdering ordering(bound_.handle);
    expect(SCOTCH_dgraphOrderCompute(&bound_.handle, &ordering.handle, &strategy_.handle) == 0,
           "order");
    std::vector<SCOTCH_Num> places(weight_.size());
    expect(SCOTCH_dgraphOrderPerm(&bound_.handle, &ordering.handle, places.data()) == 0, "number");
    return places;
  }

 private:
  /// Throws MemoryError on all ranks where a step failed on one.
  void expect(bool success, const char* step) const {
    agree(comm_, [&] {
      if (success) return;
      throw MemoryError("PT-Scotch could not " + std::string(step) + " a part with " +
                        std::to_string(weight_.size()) + " vertices and " +
                        std::to_string(neighbour_.size()) +
                        " neighbours; choose the ordering amd, which needs less memory");
    });
  }

  const Communicator& comm_;
  std::vector<SCOTCH_Num> begin_;
  std::vector<SCOTCH_Num> neighbour_;
  std::vector<SCOTCH_Num> weight_;
  ScotchContext context_;
  ScotchStrategy strategy_;
  DividedScotchGraph unbound_;
  DividedScotchGraph bound_;
};

}  // namespace

std::vector<Index> ptscotch_places(const Communicator& comm, const GraphPart& part) {
  const Count neighbours = all_neighbours(comm, part);
  if (neighbours > std::numeric_limits<SCOTCH_Num>::max()) {
    throw UsageError("PT-Scotch counts in " + std::to_string(8 * sizeof(SCOTCH_Num)) +
                     " bits here and cannot order a graph with " + std::to_string(neighbours) +
                     " neighbours; choose the ordering amd");
  }
  const std::vector<SCOTCH_Num> own = PtScotch(comm, part).places();
  std::vector<Index> places;
  for (const std::vector<SCOTCH_Num>& of_rank : comm.gather(std::span(own))) {
    places.insert(places.end(), of_rank.begin(), of_rank.end());
  }
  return places;
}

}  // namespace espalier::internal
