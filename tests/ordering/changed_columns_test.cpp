// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/changed_columns.hpp"

#include <gtest/gtest.h>

#include "ordering/graphs.hpp"

namespace espalier::internal {
namespace {

using Marks = std::vector<char>;

Marks changed(const AdjacencyGraph& graph, const AdjacencyGraph& previous,
              const std::vector<Index>& previous_of = {}) {
  return changed_columns(lower_pattern(graph), lower_pattern(previous), previous_of);
}

TEST(ChangedColumns, AreTheEndsOfEntriesThatDiffer) {
  const AdjacencyGraph path = path_graph(6);
  EXPECT_EQ(changed(path, path), Marks(6, 0));
  const AdjacencyGraph other = graph_of(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 5}});
  EXPECT_EQ(changed(other, path), (Marks{1, 0, 1, 1, 0, 1}));
  EXPECT_EQ(changed(path, other), (Marks{1, 0, 1, 1, 0, 1}));
}

TEST(ChangedColumns, DoNotDependOnNumbers) {
  const AdjacencyGraph graph = random_graph(60, 150, 1);
  const Permutation renumbering = random_permutation(60, 2);
  const AdjacencyGraph other = permuted(graph, renumbering);
  EXPECT_EQ(changed(other, graph, renumbering.old_of), Marks(60, 0));
  EXPECT_EQ(changed(graph, graph, Permutation::identity(60).old_of), Marks(60, 0));
}

TEST(ChangedColumns, AreNewOnesAndNeighboursOfNewOrRemovedOnes) {
  const AdjacencyGraph path = path_graph(5);
  const AdjacencyGraph shorter = path_graph(4);
  EXPECT_EQ(changed(shorter, path, {0, 1, 2, 3}), (Marks{0, 0, 0, 1}));
  EXPECT_EQ(changed(shorter, path, {1, 2, 3, 4}), (Marks{1, 0, 0, 0}));
  EXPECT_EQ(changed(path, shorter, {0, 1, 2, 3, -1}), (Marks{0, 0, 0, 1, 1}));
  EXPECT_EQ(changed(edgeless_graph(2), shorter, {-1, -1}), (Marks{1, 1}));
}

}  // namespace
}  // namespace espalier::internal
