// SPDX-License-Identifier: BSD-3-Clause
#include "report/graph_description.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "base/scalar.hpp"
#include "graph/sample_graphs.hpp"

namespace espalier::internal {
namespace {

/// Calls visit(structure, graph, its description) for all sample graphs until a test fails.
template <class Visit>
void for_each_description(Visit visit) {
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    visit(structure, graph, describe_graph(structure, graph, 6));
  });
}

TEST(GraphDescription, AccessesImplyExactlyTheEdgesOfTheGraph) {
  for_each_description([](const PanelStructure&, const TaskGraph& graph, const DescribedGraph& d) {
    EXPECT_EQ(d.successor_begin, graph.successor_begin);
    EXPECT_EQ(d.successor, graph.successor);
  });
}

TEST(GraphDescription, KeepsTasksTimesAndPriorities) {
  for_each_description([](const PanelStructure&, const TaskGraph& graph, const DescribedGraph& d) {
    ASSERT_EQ(d.size(), graph.size());
    for (Index t = 0; t < d.size(); ++t) {
      EXPECT_EQ(d.task[t].shape.kind, graph.task[t].kind);
      EXPECT_EQ(d.task[t].shape.seconds, graph.task[t].seconds);
      EXPECT_EQ(d.task[t].shape.flops, graph.task[t].flops);
      EXPECT_EQ(d.task[t].shape.path, graph.task[t].priority);
    }
    EXPECT_NEAR(longest_path(d, cpu_seconds(d)), critical_path(graph),
                critical_path(graph) * support::rounding);
  });
}

TEST(GraphDescription, DataAreAllOfL) {
  for_each_description(
      [](const PanelStructure& s, const TaskGraph& graph, const DescribedGraph& d) {
        const Count bytes =
            std::accumulate(d.data.begin(), d.data.end(), Count{0},
                            [](Count sum, const auto& data) { return sum + data.bytes; });
        Count entries = 0;
        for (Index p = 0; p < s.panels(); ++p) {
          // Groups contain the entries that pad their panels to whole cache lines.
          entries += graph.cut.group_of[p] >= 0 ? s.value_begin[p + 1] - s.value_begin[p]
                                                : Count{s.height(p)} * s.width(p);
        }
        EXPECT_EQ(bytes, scalar.bytes_of(entries));
      });
}

TEST(GraphDescription, OwnersAreCellsOfAGridOfWorkers) {
  for_each_description([](const PanelStructure&, const TaskGraph&, const DescribedGraph& d) {
    for (const DescribedTask& task : d.task) {
      const Index row = task.shape.row;
      const Index column = task.shape.column;
      EXPECT_EQ(task.owner, row % 2 + 2 * (column / 2 % 3));  // 2 x 3 workers
    }
  });
}

TEST(GraphDescription, DevicesHaveTimesForTheirKindsOfTasks) {
  DeviceTable table;
  table.task = 1;
  const DeviceSeconds device(table, {});
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    const DescribedGraph d = describe_graph(structure, graph, 1, {{"coprocessor", device}});
    for (Index t = 0; t < d.size(); ++t) {
      const bool runs = graph.task[t].kind != TaskKind::subtree;
      EXPECT_EQ(d.task[t].device_seconds[0], 0);
      EXPECT_EQ(d.task[t].device_seconds[1], runs ? device.of(graph.task[t], graph, structure) : 0);
    }
  });
}

}  // namespace
}  // namespace espalier::internal
