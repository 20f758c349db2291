// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/ptscotch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ordering/ordering.hpp"
#include "ranks/parts.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

/// A matrix that all ranks know completely.
struct Known {
  explicit Known(const SparseMatrix& of) : matrix(of), graph(graph_to_order(of.pattern, "amd")) {}

  MatrixPart part() const {
    const auto given = support::triplets_of(matrix, comm.rank(), comm.size());
    std::vector<MatrixPart::Entry> entries;
    entries.reserve(given.row.size());
    for (std::size_t k = 0; k < given.row.size(); ++k) {
      entries.push_back({given.row[k], given.column[k], given.value[k]});
    }
    return make_part(matrix.pattern.n, std::move(entries));
  }
  std::vector<Index> rank_of_column() const {
    std::vector<Index> rank;
    for (Index j = 0; j < matrix.pattern.n; ++j) rank.push_back(j / 3 % comm.size());
    return rank;
  }
  const CompressedGraph* roots_graph() const { return comm.is_root() ? &graph : nullptr; }

  Communicator comm{MPI_COMM_WORLD};
  const SparseMatrix& matrix;
  CompressedGraph graph;
};

/// Joins the parts of all ranks on the root, and compares them with the graph.
void expect_parts_of(const Known& known, const DividedGraph& divided) {
  const auto& [part, vertex] = divided;
  ASSERT_EQ(part.begin.size(), part.weight.size() + 1);
  ASSERT_EQ(part.begin.back(), std::ssize(part.neighbour));
  const auto begins = known.comm.gather(std::span<const Count>(part.begin));
  const auto neighbours = known.comm.gather(std::span<const Index>(part.neighbour));
  const auto weights = known.comm.gather(std::span<const Index>(part.weight));
  if (!known.comm.is_root()) return;
  const AdjacencyGraph& graph = known.graph.graph;
  ASSERT_EQ(std::ssize(vertex), graph.n);
  Index next = 0;
  for (std::size_t rank = 0; rank < begins.size(); ++rank) {
    for (std::size_t k = 0; k < weights[rank].size(); ++k, ++next) {
      std::vector<Index> found;
      for (Count e = begins[rank][k]; e < begins[rank][k + 1]; ++e) {
        EXPECT_TRUE(e == begins[rank][k] || neighbours[rank][e - 1] < neighbours[rank][e]);
        found.push_back(vertex.at(neighbours[rank][e]));
      }
      std::sort(found.begin(), found.end());
      const Index v = vertex[next];
      EXPECT_TRUE(std::ranges::equal(found, graph.of(v))) << "neighbours of " << v;
      EXPECT_EQ(weights[rank][k], known.graph.weight[v]);
    }
  }
  EXPECT_EQ(next, graph.n);
}

TEST(GraphPart, IsPartOfTheRootsGraph) {
  for (const support::NamedMatrix& named : support::solver_problems()) {
    SCOPED_TRACE(named.name);
    const Known known(named.matrix);
    const DividedGraph divided = divide_graph(known.comm, known.roots_graph());
    expect_parts_of(known, divided);
    const AdjacencyGraph& graph = known.graph.graph;
    Count most = 0;
    for (Index v = 0; v < graph.n; ++v) most = std::max(most, std::ssize(graph.of(v)));
    const Count share = (std::ssize(graph.neighbour) + graph.n) / known.comm.size();
    EXPECT_LE(std::ssize(divided.part.neighbour) + divided.part.vertices(), share + most + 2);
  }
}

TEST(GraphPart, IsFoundInThePartsOfAMatrix) {
  for (const support::NamedMatrix& named : support::solver_problems()) {
    SCOPED_TRACE(named.name);
    const Known known(named.matrix);
    const auto rank_of_column =
        known.comm.is_root() ? known.rank_of_column() : std::vector<Index>();
    const DividedGraph divided =
        divide_graph(known.comm, known.roots_graph(), rank_of_column, known.part());
    expect_parts_of(known, divided);
    Index own = 0;
    for (Index v = 0; v < known.graph.graph.n; ++v) {
      own += known.graph.members(v)[0] / 3 % known.comm.size() == known.comm.rank() ? 1 : 0;
    }
    EXPECT_EQ(divided.part.vertices(), own);
  }
}

}  // namespace
}  // namespace espalier::internal
