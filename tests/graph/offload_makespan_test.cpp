// SPDX-License-Identifier: BSD-3-Clause
#include "graph/offload_makespan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "graph/priorities.hpp"
#include "support/problems.hpp"

namespace espalier {
namespace {

/// Calls visit(structure, graph) for samples with half of the updates in shadows.
template <class Visit>
void for_each_divided(Visit visit) {
  const KernelCost cost;
  OffloadOptions options;
  options.split = OffloadOptions::Split::static0;
  for (const support::NamedStructure& sample : support::sample_structures()) {
    SCOPED_TRACE(sample.name);
    const PanelStructure& structure = sample.symbolic;
    const SubtreeCut cut = cut_subtrees(sample.symbolic, panel_seconds(sample.symbolic, cost), 0);
    const OffloadPlan plan = plan_offload(structure, cut, cost, cost, options);
    if (plan.flops == 0) continue;
    visit(structure,
          build_factor_graph(structure, cut, tile_panels(structure, cut, Granularity::panel, 1),
                             cost, block_seconds(structure, cost), Fill::by_tasks, &plan));
    if (testing::Test::HasFailure()) return;
  }
}

constexpr double noise = 1e-9;

TEST(OffloadMakespan, IsShorterBesideADeviceThatCostsNothing) {
  KernelCost instant;
  instant.rate = 1e30;
  instant.call = instant.scattered = 0;
  Index seen = 0;
  for_each_divided([&](const PanelStructure& structure, const TaskGraph& graph) {
    const DeviceTable nothing;
    const double divided = predicted_makespan(graph, structure, {1, 0, 1, instant, nothing});
    EXPECT_LT(divided, predicted_makespan(graph, 1, 0));
    ++seen;
  });
  EXPECT_GT(seen, 0);
}

TEST(OffloadMakespan, IsThatOfTwoWorkersWhereTheWayTakesNoTime) {
  const KernelCost cost;
  for_each_divided([&](const PanelStructure& structure, const TaskGraph& graph) {
    const DeviceTable nothing;
    const double divided = predicted_makespan(graph, structure, {1, 0, 1, cost, nothing});
    EXPECT_GE(divided, critical_path(graph) * (1 - 1e-5));
    EXPECT_LE(divided, predicted_makespan(graph, 1, 0) + noise);
  });
}

TEST(OffloadMakespan, CountsTasksAndTheWayThereAndBack) {
  const KernelCost cost;
  for_each_divided([&](const PanelStructure& structure, const TaskGraph& graph) {
    Index tasks = 0;
    for (const Task& task : graph.task) {
      tasks += task.contribution >= 0 && task.kind != TaskKind::reduce ? 1 : 0;
    }
    DeviceTable device;
    device.task = 1;
    EXPECT_GE(predicted_makespan(graph, structure, {1, 0, 1, cost, device}), tasks);
    for (const bool overlaps : {false, true}) {
      device = {};
      device.overlaps = overlaps;
      device.to.latency = 1;
      EXPECT_GE(predicted_makespan(graph, structure, {1, 0, 1, cost, device}), 1);
      device.back.latency = 10;
      EXPECT_GE(predicted_makespan(graph, structure, {1, 0, 1, cost, device}), 11);
    }
  });
}

}  // namespace
}  // namespace espalier
