// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "codelets/coprocessor/tasks.hpp"
#include "codelets/payload/task_payload.hpp"
#include "graph/joined_updates.hpp"
#include "runtime/sample_factor.hpp"
#include "runtime/sample_orders.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::SampleFactor;

/// Runs a list as workers of both types would. If a coprocessor can run a task and `is_offloaded`
/// selects it, the task runs by its message, otherwise on the host.
template <class IsOffloaded>
void run_offloaded(SampleFactor& factor, const TaskList& list, IsOffloaded is_offloaded) {
  support::SampleWorker sample(factor.symbolic().n);
  factor.context().workspace.resize(1);
  std::vector<double> result;
  std::vector<double> diagonal;
  for (std::size_t t = 0; t < list.task.size(); ++t) {
    const BoundTask& task = list.task[t];
    std::vector<MatrixView> data;
    for (const Access& access : list.accesses(task)) {
      data.push_back(list.data[access.data].as<double>());
    }
    const auto sent = list.payloads->of(static_cast<Index>(t));
    if (sent.empty() || !is_offloaded(task.shape)) {
      task.perform(data, sample.worker);
      continue;
    }
    std::vector<double> copy(sent.size() / sizeof(double));
    std::memcpy(copy.data(), sent.data(), sent.size());
    const auto& payload = *reinterpret_cast<const TaskPayload*>(copy.data());
    diagonal.clear();
    coprocessor::run(payload, data,
                     {sample.worker.kernels, sample.workspace.buffer.span(), diagonal});
    result.assign(1, 0.5);
    result.insert(result.end(), diagonal.begin(), diagonal.end());
    take_result(task, 0, result);
  }
}

TEST(Offload, GivesTheSameFactorAsTheHost) {
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share));
        SampleFactor host(problem.matrix, share, granularity);
        SampleFactor both(problem.matrix, share, granularity, Fill::by_tasks);
        both.make_payloads();
        const auto offloaded = both.run_by(
            [&] { run_offloaded(both, both.list(), [](const Shape&) { return true; }); });
        const auto expected = host.run();
        EXPECT_EQ(offloaded.size(), expected.size());
        EXPECT_EQ(std::memcmp(offloaded.data(), expected.data(), expected.size() * sizeof(double)),
                  0);
        EXPECT_EQ(both.context().failure.column(), host.context().failure.column());
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Offload, OfEveryOtherTaskIsOfAllKindsThatDevicesRun) {
  const auto problem = support::small_matrices().back();
  SampleFactor host(problem.matrix, 0.1, Granularity::tile);
  SampleFactor both(problem.matrix, 0.1, Granularity::tile, Fill::by_tasks);
  both.alternate_sides();
  both.make_payloads();
  const auto is_on_device = [](const Shape& shape) { return shape.device >= 0; };
  std::array<Index, task_kinds> all{};
  std::array<Index, task_kinds> there{};
  for (std::size_t t = 0; t < both.list().task.size(); ++t) {
    const Shape& shape = both.list().task[t].shape;
    const bool can = !both.list().payloads->of(static_cast<Index>(t)).empty();
    ++all[static_cast<std::size_t>(shape.kind)];
    if (can && is_on_device(shape)) ++there[static_cast<std::size_t>(shape.kind)];
  }
  for (const TaskKind kind :
       {TaskKind::diagonal, TaskKind::factor, TaskKind::update, TaskKind::assemble}) {
    const auto k = static_cast<std::size_t>(kind);
    EXPECT_GT(there[k], 0) << name_of(kind);
    EXPECT_EQ(there[k], (all[k] + 1) / 2) << name_of(kind);
  }
  EXPECT_EQ(there[static_cast<std::size_t>(TaskKind::fill)], 0);
  EXPECT_EQ(there[static_cast<std::size_t>(TaskKind::subtree)], 0);
  const auto divided = both.run_by([&] { run_offloaded(both, both.list(), is_on_device); });
  EXPECT_TRUE(support::close(divided, host.run(), both.symbolic().n));
}

TEST(Offload, LeavesToTheHostWhatDevicesDoNotRun) {
  SampleFactor factor(support::small_matrices().back().matrix, 0.1, Granularity::tile,
                      Fill::by_tasks);
  DeviceTable device;
  device.assembles = false;
  factor.make_payloads(device);
  Index assembles = 0;
  for (std::size_t t = 0; t < factor.list().task.size(); ++t) {
    const Shape& shape = factor.list().task[t].shape;
    const bool can = !factor.list().payloads->of(static_cast<Index>(t)).empty();
    EXPECT_EQ(shape.device_seconds > 0, can);
    if (shape.kind != TaskKind::assemble) continue;
    ++assembles;
    EXPECT_FALSE(can);
  }
  EXPECT_GT(assembles, 0);
}

/// Updates of shadows on devices and of tiles on the host, in any order that the graph allows, add
/// up to the factor.
TEST(Offload, SumsWhatHostAndDevicesUpdate) {
  std::mt19937_64 generator(5);
  Count joined = 0;
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share));
        const std::vector<double> expected = SampleFactor(problem.matrix, share, granularity).run();
        SampleFactor both(problem.matrix, [&](const SymbolicFactor& structure) {
          const OffloadPlan plan = support::random_offload(structure, share, generator);
          TaskGraph graph = support::graph_of(structure, share, granularity, Fill::by_tasks, &plan);
          join_updates(graph, {most_targets, 300, 1, KernelCost{}});
          EXPECT_NO_THROW(check(graph, structure));
          joined += std::ssize(graph.part);
          return graph;
        });
        both.make_payloads();
        const support::Edges edges = support::edges_of(both.graph());
        for (int run = 0; run < 3; ++run) {
          TaskList list = support::shuffled(both.list(), edges, generator);
          const TaskPayloads payloads(list);
          list.payloads = &payloads;
          const auto sum = both.run_by([&] {
            run_offloaded(both, list, [](const Shape& shape) { return shape.device >= 0; });
          });
          EXPECT_TRUE(support::close(sum, expected, both.symbolic().n));
          EXPECT_TRUE(support::close(both.run(list), expected, both.symbolic().n));
        }
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(joined, 100);
}

}  // namespace
}  // namespace espalier::internal
