// SPDX-License-Identifier: BSD-3-Clause
#include "graph/joined_updates.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/sample_graphs.hpp"

namespace espalier::internal {
namespace {

/// Calls visit(structure, graph before, graph after) for all samples and some limits.
template <class Visit>
void for_each_fused_graph(Visit visit) {
  support::for_each_graph([&](const auto& structure, const TaskGraph& apart) {
    for (const Count most : {Count{1}, Count{60}, Count{1} << 40}) {
      TaskGraph fused = apart;
      fuse_updates(fused, most, KernelCost{});
      SCOPED_TRACE("at most " + std::to_string(most) + " entries");
      visit(structure, apart, fused, most);
    }
  });
}

Index panel_of(const TaskGraph& graph, Index tile) { return graph.tiling.tile[tile].panel; }

TEST(FusedUpdates, KeepTheInvariantsOfTheGraph) {
  for_each_fused_graph([](const auto& structure, const TaskGraph&, const TaskGraph& fused, Count) {
    EXPECT_NO_THROW(check(fused, structure));
  });
}

TEST(FusedUpdates, AreOneProductBelowTheLimit) {
  Count parts = 0;
  for_each_fused_graph([&](const auto&, const TaskGraph&, const TaskGraph& graph, Count most) {
    for (const Task& task : graph.task) {
      EXPECT_EQ(task.fused, graph.parts(task).size() > 1);
      if (!task.fused) continue;
      const Count rows = task.rows.size();
      EXPECT_LE(static_cast<double>(rows) * std::max<double>(task.columns.size(), task.inner),
                static_cast<double>(most));
      Index row = task.rows.begin;
      double flops = 0;
      for (const Task& part : graph.parts(task)) {
        EXPECT_EQ(part.rows.begin, row) << "the rows of one follow those of the other";
        row = part.rows.end;
        flops += part.flops;
        EXPECT_EQ(part.right, task.right);
        EXPECT_EQ(part.columns.begin, task.columns.begin);
        EXPECT_EQ(part.columns.end, task.columns.end);
        EXPECT_EQ(panel_of(graph, part.left), panel_of(graph, task.left));
        EXPECT_EQ(panel_of(graph, part.target), panel_of(graph, task.target));
        ++parts;
      }
      EXPECT_EQ(row, task.rows.end);
      EXPECT_DOUBLE_EQ(task.flops, flops);
    }
  });
  EXPECT_GT(parts, 1000);
}

/// Without a limit, every panel has one update per block, as with whole panels.
TEST(FusedUpdates, WithoutALimitAreOneForEachBlock) {
  for_each_fused_graph(
      [](const auto& structure, const TaskGraph&, const TaskGraph& fused, Count most) {
        if (most < 1000000) return;
        Count blocks = 0;
        for (Index p = 0; p < structure.panels(); ++p) {
          if (fused.cut.group_of[p] < 0)
            blocks += structure.block_begin[p + 1] - structure.block_begin[p] - 1;
        }
        EXPECT_EQ(fused.counts()[static_cast<std::size_t>(TaskKind::update)], blocks);
      });
}

TEST(FusedUpdates, DoTheSameWork) {
  for_each_fused_graph([](const auto&, const TaskGraph& apart, const TaskGraph& fused, Count most) {
    double before = 0;
    double after = 0;
    for (const Task& task : apart.task) before += task.flops;
    for (const Task& task : fused.task) after += task.flops;
    EXPECT_NEAR(after, before, 1e-9 * before);
    if (most == 1) {
      EXPECT_EQ(fused.size(), apart.size());
    }
  });
}

}  // namespace
}  // namespace espalier::internal
