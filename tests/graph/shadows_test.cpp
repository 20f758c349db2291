// SPDX-License-Identifier: BSD-3-Clause
#include "graph/shadows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "graph/rank_graphs.hpp"
#include "graph/sample_graphs.hpp"
#include "plan/offloading.hpp"

namespace espalier::internal {
namespace {

/// Calls visit(structure, plan, graph) for random plans on all samples.
template <class Visit>
void for_each_plan(Visit visit) {
  std::mt19937_64 generator(3);
  for (const auto& sample : support::sample_structures()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(sample.name + ", cut at " + std::to_string(share));
        const OffloadPlan plan = support::random_offload(sample.symbolic, share, generator);
        visit(sample.symbolic, plan,
              support::graph_of(sample.symbolic, share, granularity, Fill::by_first_writer, &plan));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Returns the block of the source panel whose rows are the columns of an update.
Count block_of(const PanelStructure& structure, Index panel, Index row) {
  Count block = structure.block_begin[panel];
  while (structure.block_end(panel, block) <= row) ++block;
  return block;
}

TEST(Shadows, AreWrittenByTheUpdatesOfThePlanAndNoOthers) {
  for_each_plan([](const auto& structure, const OffloadPlan& plan, const TaskGraph& graph) {
    EXPECT_NO_THROW(check(graph, structure));
    for (const Task& task : graph.task) {
      EXPECT_TRUE(task.kind != TaskKind::assemble || task.contribution < 0);
      if (task.kind != TaskKind::update) continue;
      const Index source = graph.tiling.tile[task.left].panel;
      const Count block = block_of(structure, source, task.columns.begin);
      ASSERT_EQ(task.contribution >= 0, plan.on_device(structure, source, block));
      if (task.contribution < 0) continue;
      const Contribution& shadow = graph.contribution[task.contribution];
      EXPECT_EQ(shadow.tile, task.target);
      EXPECT_EQ(shadow.device, plan.device[graph.tiling.tile[task.target].panel]);
    }
  });
}

TEST(Shadows, HaveTheRowsThatAreUpdatedAndNoOthers) {
  for_each_plan([](const auto& structure, const OffloadPlan&, const TaskGraph& graph) {
    std::vector<std::vector<Index>> touched(graph.contribution.size());
    for (const Task& task : graph.task) {
      if (task.kind != TaskKind::update || task.contribution < 0) continue;
      const auto rows = structure.rows(graph.tiling.tile[task.left].panel)
                            .subspan(task.rows.begin, task.rows.size());
      auto& all = touched[task.contribution];
      all.insert(all.end(), rows.begin(), rows.end());
    }
    for (std::size_t c = 0; c < touched.size(); ++c) {
      std::sort(touched[c].begin(), touched[c].end());
      touched[c].erase(std::unique(touched[c].begin(), touched[c].end()), touched[c].end());
      const auto rows = graph.rows_of(graph.contribution[c]);
      EXPECT_TRUE(std::equal(rows.begin(), rows.end(), touched[c].begin(), touched[c].end()));
    }
  });
}

/// The fill task that sets a shadow to zero precedes all its updates, and these precede the task R.
/// The memory of the shadow is released directly after R. A task D or F follows R.
TEST(Shadows, AreSetToZeroWrittenAddedAndReleasedInThisOrder) {
  for_each_plan([](const auto&, const OffloadPlan&, const TaskGraph& graph) {
    std::vector<Index> fill(graph.contribution.size(), -1);
    std::vector<Index> reduce(graph.contribution.size(), -1);
    for (Index t = 0; t < graph.size(); ++t) {
      const Task& task = graph.task[t];
      if (task.contribution < 0 || task.kind == TaskKind::update) continue;
      auto& of_shadow = task.kind == TaskKind::fill ? fill : reduce;
      EXPECT_EQ(of_shadow[task.contribution], -1);
      of_shadow[task.contribution] = t;
    }
    const auto precedes = [&](Index first, Index second) {
      const auto next = graph.successors(first);
      return std::binary_search(next.begin(), next.end(), second);
    };
    for (Index t = 0; t < graph.size(); ++t) {
      const Task& task = graph.task[t];
      if (task.contribution < 0 || task.kind != TaskKind::update) continue;
      EXPECT_TRUE(precedes(fill[task.contribution], t));
      EXPECT_TRUE(precedes(t, reduce[task.contribution]));
    }
    ASSERT_EQ(graph.message.size(), graph.contribution.size());
    for (const Message& message : graph.message) {
      EXPECT_EQ(message.kind, Message::Kind::discard);
      const Index c = message.data - graph.contribution_data(0);
      EXPECT_EQ(message.before, reduce[c] + 1);
      EXPECT_FALSE(graph.successors(reduce[c]).empty());
    }
  });
}

/// The memory that a graph needs on a device is at least that of the inputs of one update, and at
/// most that of all shadows and inputs of the device.
TEST(Shadows, SayWhatTheyNeedOfADevice) {
  for_each_plan([](const auto& structure, const OffloadPlan& plan, const TaskGraph& graph) {
    const Index devices = 1 + *std::max_element(plan.device.begin(), plan.device.end());
    const auto bytes = [&](Count rows, Index tile) {
      return static_cast<Count>(sizeof(double)) * rows *
             structure.width(graph.tiling.tile[tile].panel);
    };
    Count all = 0;
    Count one = 0;
    for (Index d = 0; d < devices; ++d) {
      Count shadows = 0;
      for (const Contribution& c : graph.contribution) {
        if (c.device == d) shadows += bytes(c.row_end - c.row_begin, c.tile);
      }
      std::vector<Index> tiles;
      Count largest = 0;
      const auto height = [&](Index t) {
        return graph.tiling.tile[t].row_end - graph.tiling.tile[t].row_begin;
      };
      for (const Task& task : graph.task) {
        if (task.kind != TaskKind::update || task.contribution < 0) continue;
        if (graph.contribution[task.contribution].device != d) continue;
        tiles.insert(tiles.end(), {task.left, task.right});
        const Index rows = height(task.left) + (task.left == task.right ? 0 : height(task.right));
        largest = std::max(largest, bytes(rows, task.left));
      }
      std::sort(tiles.begin(), tiles.end());
      tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
      Count sources = 0;
      for (const Index t : tiles) sources += bytes(height(t), t);
      all = std::max(all, shadows + sources);
      one = std::max(one, shadows + largest);
    }
    const auto needs = [&](std::optional<DeviceLimit> limit) {
      return bytes_on_devices(graph, structure, devices, limit);
    };
    EXPECT_EQ(needs({}).most, all);
    EXPECT_EQ(needs(DeviceLimit{0, 1}).most, one);
    EXPECT_EQ(needs(DeviceLimit{0, 1}).beside, 0);
    EXPECT_EQ(needs(DeviceLimit{2 * all, 1}).most, all);
    EXPECT_LE(needs(DeviceLimit{(one + all) / 2, 1}).most, std::max(one, (one + all) / 2));
  });
}

/// Calls visit(structure, plan, graph, graph without the plan) for each of several ranks.
template <class Visit>
void for_each_rank(const support::PlanOffload& offload, Visit visit) {
  for (const auto& sample : support::sample_structures()) {
    for (const Mapping mapping : support::mappings) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(sample.name + ", mapping " + std::to_string(static_cast<int>(mapping)));
        const double share = granularity == Granularity::block ? 0.0 : 0.1;
        const auto graphs = [&](const support::PlanOffload& plan) {
          return support::rank_graphs(sample.symbolic, 4, mapping, share, granularity,
                                      Fill::by_tasks, plan);
        };
        const support::RankGraphs with = graphs(offload);
        const support::RankGraphs without = graphs({});
        for (std::size_t r = 0; r < with.graph.size(); ++r) {
          visit(with.local[r], with.plan[r], with.graph[r], without.graph[r]);
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Compares the flops of a rank's devices, and all its flops above the cut, with the plan.
TEST(ShadowsOfRanks, TakeTheFlopsThatArePlanned) {
  const auto plan = [](const LocalStructure& local, const SubtreeCut& cut, OwnUpdates own) {
    return plan_offload(local, cut, {}, {}, {.devices = 2}, std::move(own));
  };
  for_each_rank(plan,
                [](const auto&, const OffloadPlan& planned, const TaskGraph& graph, const auto&) {
                  double devices = 0;
                  double all = 0;
                  for (const Task& task : graph.task) {
                    if (task.kind != TaskKind::update) continue;
                    all += task.flops;
                    const bool there =
                        task.contribution >= 0 && graph.contribution[task.contribution].is_shadow();
                    if (there) devices += task.flops;
                  }
                  EXPECT_NEAR(devices, planned.flops, 1e-9 * all);
                  EXPECT_NEAR(all, planned.total, 1e-9 * all);
                });
}

/// Messages are the same as without devices, but a contribution is sent after its last shadow is
/// added.
TEST(ShadowsOfRanks, ChangeNoMessages) {
  std::mt19937_64 generator(13);
  for_each_rank(
      support::random_offloads(generator), [](const LocalStructure& local, const auto&,
                                              const TaskGraph& graph, const TaskGraph& without) {
        EXPECT_EQ(traffic_of(graph, local), traffic_of(without, local));
        std::vector<Index> leaves(graph.contribution.size(), graph.size());
        Count discarded = 0;
        for (const Message& m : graph.message) {
          const Index c = m.data - graph.contribution_data(0);
          if (m.kind == Message::Kind::send && c >= 0) leaves[c] = m.before;
          if (m.kind == Message::Kind::discard) ++discarded;
          EXPECT_TRUE(m.kind != Message::Kind::discard || graph.contribution[c].is_shadow());
        }
        Count reduced = 0;
        for (Index t = 0; t < graph.size(); ++t) {
          const Task& task = graph.task[t];
          if (task.kind != TaskKind::reduce || !graph.contribution[task.contribution].is_shadow())
            continue;
          ++reduced;
          const Index into = graph.contribution[task.contribution].into;
          const Tile& tile = graph.tiling.tile[task.target];
          ASSERT_EQ(into >= 0, owner_of(local, tile) != local.rank);
          if (into < 0) continue;
          EXPECT_EQ(graph.contribution[into].tile, task.target);
          EXPECT_LT(t, leaves[into]);
          const auto sent = graph.rows_of(graph.contribution[into]);
          const auto shadow = graph.rows_of(graph.contribution[task.contribution]);
          EXPECT_TRUE(std::includes(sent.begin(), sent.end(), shadow.begin(), shadow.end()));
        }
        EXPECT_EQ(reduced, std::ssize(graph.contribution) - graph.first_shadow());
        EXPECT_EQ(discarded, reduced);
      });
}

}  // namespace
}  // namespace espalier::internal
