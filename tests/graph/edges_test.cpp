// SPDX-License-Identifier: BSD-3-Clause
#include "graph/edges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TaskGraph graph_of_size(Index tasks) {
  TaskGraph graph;
  graph.task.resize(tasks, Task{.kind = TaskKind::update});
  return graph;
}

TEST(EdgeList, StoresSuccessorsAscending) {
  TaskGraph graph = graph_of_size(5);
  EdgeList edges(0);
  edges.add(2, 4);
  edges.add(0, 3);
  edges.add(0, 1);
  edges.add(2, 3);
  edges.store(graph);
  EXPECT_THAT(graph.successor_begin, ElementsAre(0, 2, 2, 4, 4, 4));
  EXPECT_THAT(graph.successors(0), ElementsAre(1, 3));
  EXPECT_THAT(graph.successors(1), IsEmpty());
  EXPECT_THAT(graph.successors(2), ElementsAre(3, 4));
  EXPECT_THAT(graph.successors(4), IsEmpty());
}

TEST(EdgeList, PutsTheFactorAfterAllWritersAndReadersAfterIt) {
  TaskGraph graph = graph_of_size(6);
  EdgeList edges(2);
  edges.add_writer(0, 0);
  edges.add_writer(1, 1);
  edges.add_writer(0, 2);
  edges.add_after_writers(0, 3);
  edges.add_after_factored(0, 4);
  edges.set_factored(0, 4);
  edges.add_after_factored(0, 5);
  edges.store(graph);
  EXPECT_THAT(graph.successors(0), ElementsAre(3));
  EXPECT_THAT(graph.successors(1), IsEmpty());
  EXPECT_THAT(graph.successors(2), ElementsAre(3));
  EXPECT_THAT(graph.successors(3), ElementsAre(4));
  EXPECT_THAT(graph.successors(4), ElementsAre(5));
}

TEST(EdgeList, KnowsTheWritersOfATileInTheirOrderAndTheOneAfterThem) {
  EdgeList edges(2);
  edges.add_writer(0, 1);
  edges.add_writer(0, 2);
  edges.add_after_writers(0, 3);
  edges.set_factored(0, 4);
  edges.add_after_writers(1, 5);
  EXPECT_THAT(edges.writers(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(edges.writers(1), ElementsAre(5));
}

TEST(EdgeList, OfNothingGivesEmptyLists) {
  TaskGraph graph = graph_of_size(2);
  EdgeList(0).store(graph);
  EXPECT_THAT(graph.successor_begin, ElementsAre(0, 0, 0));
  EXPECT_THAT(graph.successor, IsEmpty());
}

}  // namespace
}  // namespace espalier::internal
