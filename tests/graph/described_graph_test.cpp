// SPDX-License-Identifier: BSD-3-Clause
#include "graph/described_graph.hpp"

#include <gmock/gmock.h>

#include "graph/tiny_graph.hpp"

namespace espalier::internal {
namespace {

using support::add_task;
using support::tiny_graph;
using testing::ElementsAre;
using testing::IsEmpty;
using enum AccessMode;

TEST(DescribedGraph, TasksWaitForOtherAccessesOfTheirData) {
  const DescribedGraph graph = tiny_graph();
  EXPECT_THAT(graph.successors(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(graph.successors(1), ElementsAre(4));  // not 2, because both add
  EXPECT_THAT(graph.successors(2), ElementsAre(4));
  EXPECT_THAT(graph.successors(3), ElementsAre(4));
  EXPECT_THAT(graph.successors(4), IsEmpty());
}

TEST(DescribedGraph, WritesWaitForReadsAndReadsDoNotWaitForReads) {
  DescribedGraph graph;
  graph.data.resize(1);
  for (const AccessMode mode : {write, read, read, read_write, write, add, read, add}) {
    add_task(graph, TaskKind::update, 1, 0, {{0, mode}});
  }
  connect(graph);
  EXPECT_THAT(graph.successors(0), ElementsAre(1, 2));
  EXPECT_THAT(graph.successors(1), ElementsAre(3));
  EXPECT_THAT(graph.successors(2), ElementsAre(3));
  EXPECT_THAT(graph.successors(3), ElementsAre(4));
  EXPECT_THAT(graph.successors(4), ElementsAre(5));
  EXPECT_THAT(graph.successors(5), ElementsAre(6));
  EXPECT_THAT(graph.successors(6), ElementsAre(7));
}

TEST(DescribedGraph, ATaskDoesNotWaitForItself) {
  DescribedGraph graph;
  graph.data.resize(1);
  add_task(graph, TaskKind::update, 1, 0, {{0, read}, {0, write}});
  add_task(graph, TaskKind::update, 1, 0, {{0, read}});
  connect(graph);
  EXPECT_THAT(graph.successors(0), ElementsAre(1));
}

TEST(DescribedGraph, PathAndLevels) {
  const DescribedGraph graph = tiny_graph();
  EXPECT_EQ(longest_path(graph, cpu_seconds(graph)), 1 + 4 + 1);
  EXPECT_EQ(longest_path(graph, std::vector<double>{1, 2, 9, 4, 1}), 1 + 9 + 1);
  EXPECT_EQ(widest_level(graph), 3);
  EXPECT_EQ(longest_path({}, {}), 0);
  EXPECT_EQ(widest_level({}), 0);
}

}  // namespace
}  // namespace espalier::internal
