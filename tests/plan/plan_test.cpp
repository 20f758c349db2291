// SPDX-License-Identifier: BSD-3-Clause

#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "graph/exchange.hpp"
#include "graph/task_graph.hpp"
#include "matrix/generators.hpp"
#include "plan/memory.hpp"
#include "solver/sample_solver.hpp"
#include "support/divisions.hpp"
#include "support/expect.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::with;

const SymbolicFactor& grid() {
  static const SymbolicFactor symbolic =
      support::structure_of(generate_matrix("laplace3d:18"), {"metis", 64, {}});
  return symbolic;
}

FactorPlan plan_for(Index workers, FactorOptions options = {}) {
  return plan_factorization(grid(), {.workers = workers, .options = options});
}

Count count_of(const FactorPlan& plan, TaskKind kind) {
  return plan.graph.counts()[static_cast<std::size_t>(kind)];
}

TEST(Plan, IsSoundForAllOptions) {
  for (const Index workers : {1, 2, 3, 8, 64}) {
    for (const Granularity granularity :
         {Granularity::automatic, Granularity::panel, Granularity::tile, Granularity::block}) {
      for (const bool deterministic : {false, true}) {
        FactorOptions options = with(granularity);
        options.deterministic = deterministic;
        const FactorPlan plan = plan_for(workers, options);
        EXPECT_NO_THROW(check(plan.graph, grid()));
        EXPECT_FALSE(plan.direct);
        EXPECT_GE(plan.predicted_seconds, critical_path(plan.graph) * 0.999);
        if (granularity != Granularity::automatic) {
          EXPECT_EQ(plan.granularity, granularity);
        }
      }
    }
  }
}

TEST(Plan, DoesNotDependOnTheNumberOfThreads) {
  const SymbolicFactor symbolic = support::structure_of(generate_matrix("laplace2d:250"));
  for (const Index workers : {4, 24}) {
    const FactorPlan alone = plan_factorization(symbolic, {.workers = workers});
    for (const Index threads : {2, 5}) {
      const FactorPlan plan =
          plan_factorization(symbolic, {.workers = workers, .threads = threads});
      EXPECT_EQ(plan.granularity, alone.granularity);
      EXPECT_EQ(plan.predicted_seconds, alone.predicted_seconds);
      EXPECT_EQ(plan.graph.successor, alone.graph.successor);
      ASSERT_EQ(plan.graph.size(), alone.graph.size());
      for (Index t = 0; t < plan.graph.size(); ++t) {
        const Task& task = plan.graph.task[t];
        const Task& expected = alone.graph.task[t];
        EXPECT_EQ(task.kind, expected.kind);
        EXPECT_EQ(task.target, expected.target);
        EXPECT_EQ(task.seconds, expected.seconds);
        EXPECT_EQ(task.priority, expected.priority);
      }
    }
  }
}

TEST(Plan, TellsTheLevelsOfItsPanels) {
  const FactorPlan plan = plan_for(2);
  EXPECT_EQ(std::ssize(plan.graph.levels.level), grid().panels());
  const FactorPlan pairs = plan_factorization(grid(), {.workers = 2, .needs = {{2, 1}}});
  const auto& l_partition = pairs.graph.levels.l_partition;
  EXPECT_EQ(l_partition.back(), static_cast<Index>(l_partition.size() - 1) / 2);
}

TEST(Plan, JoinsTasksByBlocksIfThePolicyNeedsIt) {
  const auto plan = [](Granularity granularity, BlockGrid owners) {
    return plan_factorization(
        grid(), {.workers = 4, .options = with(granularity), .needs = {.owners = owners}});
  };
  const FactorPlan joined = plan(Granularity::block, {2, 2});
  const FactorPlan alone = plan(Granularity::block, {0, 0});
  EXPECT_EQ(joined.graph.counts(), alone.graph.counts());
  EXPECT_TRUE(alone.graph.batches.empty());
  EXPECT_EQ(submitted_to_starpu(alone), alone.graph.size());
  EXPECT_EQ(submitted_to_starpu(joined), joined.graph.batches.size());
  EXPECT_LT(2 * submitted_to_starpu(joined), alone.graph.size());
  EXPECT_LT(joined.predicted_seconds, alone.predicted_seconds);
  EXPECT_GE(joined.predicted_seconds, critical_path(joined.graph) * 0.999);
  EXPECT_TRUE(plan(Granularity::tile, {2, 2}).graph.batches.empty());
}

TEST(PlanRank, JoinsTasksByBlocksIfAllRanksNeedIt) {
  const RankMap map = support::map_to_ranks(grid(), panel_seconds(grid(), KernelCost{}), 2,
                                            Mapping::block_cyclic, nullptr, Alone::blocks);
  for (Index rank = 0; rank < 2; ++rank) {
    const LocalStructure local = support::local_structure(grid(), map, rank);
    const auto plan = [&](std::vector<BlockGrid> owners) {
      return plan_factorization(local,
                                {.options = with(Granularity::block), .owners = std::move(owners)});
    };
    const FactorPlan joined = plan({{1, 2}, {2, 1}});
    const FactorPlan alone = plan({});
    EXPECT_LT(2 * submitted_to_starpu(joined), submitted_to_starpu(alone));
    EXPECT_LT(joined.graph.transfers().size(), alone.graph.transfers().size());
    EXPECT_EQ(traffic_of(joined.graph, local), traffic_of(alone.graph, local));
    EXPECT_GE(largest_groups(joined.graph).received, largest_groups(alone.graph).received);
    EXPECT_LT(rank_bytes(local, joined.graph, 0, {}).rest,
              rank_bytes(local, alone.graph, 0, {}).rest);
  }
}

TEST(Plan, OfATinyProblemAvoidsStarpuUnlessTold) {
  const SymbolicFactor tiny = support::structure_of(generate_matrix("laplace2d:7"));
  const FactorPlan plan = plan_factorization(tiny, {.workers = 2});
  EXPECT_TRUE(plan.direct);
  EXPECT_EQ(plan.graph.size(), 1);
  EXPECT_GT(plan.predicted_seconds, 0);
  EXPECT_FALSE(
      plan_factorization(tiny, {.workers = 2, .options = with(Granularity::panel)}).direct);
}

TEST(Plan, ByBlockHasNoSubtreesAndATaskForEveryBlock) {
  const FactorPlan plan = plan_for(2, with(Granularity::block));
  EXPECT_EQ(count_of(plan, TaskKind::subtree), 0);
  EXPECT_EQ(count_of(plan, TaskKind::assemble), 0);
  EXPECT_EQ(count_of(plan, TaskKind::diagonal), grid().panels());
  EXPECT_EQ(count_of(plan, TaskKind::factor), std::ssize(grid().block) - grid().panels());
}

TEST(Plan, OfAChainHasNoTaskForEachPanel) {
  const SymbolicFactor chain = support::structure_of(support::tridiagonal(100000), {"amd", 8, {}});
  ASSERT_GT(chain.panels(), 10000);
  for (const Index workers : {1, 2, 16}) {
    const FactorPlan plan = plan_factorization(chain, {.workers = workers});
    EXPECT_FALSE(plan.direct);
    EXPECT_LT(plan.graph.size(), 10) << workers;
  }
}

TEST(Plan, HasMoreAndSmallerSubtreesForMoreWorkers) {
  const Count few = count_of(plan_for(1, with(Granularity::panel)), TaskKind::subtree);
  const Count more = count_of(plan_for(4, with(Granularity::panel)), TaskKind::subtree);
  EXPECT_GT(few, 0);
  EXPECT_GT(more, few);
}

TEST(Plan, HasAsManySubtreesAsAskedFor) {
  KernelCost slow;
  // so that the problem is not small, because the makespan decides for small problems
  slow.rate = 1e9;
  FactorOptions options = with(Granularity::panel);
  Count before = 0;
  for (const double subtrees : {1.0, 4.0, 16.0}) {
    options.subtrees_per_worker = subtrees;
    const Count count =
        count_of(plan_factorization(grid(), {.workers = 2, .options = options, .cost = slow}),
                 TaskKind::subtree);
    EXPECT_GT(count, before) << subtrees;
    before = count;
  }
}

TEST(Plan, HasNoTinySubtreesForManyWorkers) {
  const auto subtrees = [](Index workers, std::optional<double> chosen) {
    FactorOptions options = with(Granularity::panel);
    options.subtrees_per_worker = chosen;
    return count_of(plan_factorization(grid(), {.workers = workers, .options = options}),
                    TaskKind::subtree);
  };
  EXPECT_GT(subtrees(64, 3), 2 * subtrees(64, {}));
  EXPECT_EQ(subtrees(256, {}), subtrees(64, {}));
}

TEST(Plan, HasTilesOfAsManyRowsAsAskedFor) {
  FactorOptions options = with(Granularity::tile);
  const Count usual = count_of(plan_for(4, options), TaskKind::factor);
  options.tile_rows = 512;
  EXPECT_EQ(count_of(plan_for(4, options), TaskKind::factor), usual);
  options.tile_rows = 16;
  EXPECT_GT(count_of(plan_for(4, options), TaskKind::factor), usual);
}

/// With slow kernels, tasks may be small.
TEST(Plan, HasFinerTilesForManyWorkers) {
  KernelCost slow;
  slow.rate = 1e9;
  const auto planned = [&](Index workers, std::optional<Index> rows) {
    FactorOptions options;
    options.tile_rows = rows;
    return plan_factorization(grid(), {.workers = workers, .options = options, .cost = slow});
  };
  const FactorPlan chosen = planned(64, {});
  EXPECT_EQ(chosen.granularity, Granularity::tile);
  EXPECT_LT(chosen.predicted_seconds, planned(64, 512).predicted_seconds);
  EXPECT_GT(count_of(chosen, TaskKind::factor), count_of(planned(64, 512), TaskKind::factor));
  EXPECT_EQ(planned(8, {}).predicted_seconds, planned(8, 512).predicted_seconds);
}

TEST(OptionsForRanks, DividePanelsWhereManyWorkersAreToFindTasks) {
  const auto options = [](Index ranks, Index workers, FactorOptions given = {}) {
    return options_for_ranks(given, ranks, workers);
  };
  EXPECT_EQ(options(2, 2).granularity, Granularity::panel);
  EXPECT_EQ(options(2, 16).granularity, Granularity::tile);
  EXPECT_EQ(options(3, 3).granularity, Granularity::tile);
  EXPECT_EQ(*options(4, 4).tile_rows, 1024);
  EXPECT_EQ(*options(4, 16).tile_rows, 512);
  EXPECT_EQ(*options(4, 64).tile_rows, 128);
  EXPECT_EQ(*options(64, 4096).tile_rows, 128);
  FactorOptions given = with(Granularity::panel);
  given.tile_rows = 77;
  EXPECT_EQ(options(16, 64, given).granularity, Granularity::panel);
  EXPECT_EQ(*options(16, 64, given).tile_rows, 77);
  FactorOptions deterministic;
  deterministic.deterministic = true;
  EXPECT_EQ(options(2, 64, deterministic).granularity, options(2, 2, deterministic).granularity);
  EXPECT_EQ(options(4, 64, deterministic).tile_rows, options(4, 4, deterministic).tile_rows);
}

TEST(Plan, ThatIsDeterministicDoesNotDependOnTheWorkers) {
  for (const Granularity granularity : {Granularity::automatic, Granularity::tile}) {
    FactorOptions options = with(granularity);
    options.deterministic = true;
    const FactorPlan expected = plan_for(1, options);
    for (const Index workers : {2, 3, 16}) {
      const FactorPlan plan = plan_for(workers, options);
      EXPECT_EQ(plan.granularity, expected.granularity);
      EXPECT_EQ(plan.graph.cut.group_of, expected.graph.cut.group_of);
      EXPECT_EQ(plan.graph.successor, expected.graph.successor);
      EXPECT_EQ(plan.graph.tiling.tile_begin, expected.graph.tiling.tile_begin);
    }
  }
}

TEST(Plan, ChoosesTheGranularityWithTheShorterMakespan) {
  for (const Index workers : {1, 3, 8}) {
    const double chosen = plan_for(workers).predicted_seconds;
    EXPECT_LE(chosen, plan_for(workers, with(Granularity::panel)).predicted_seconds);
  }
}

TEST(Plan, OffloadsWhereThatIsPredictedToPay) {
  const auto divided = [](const DeviceTable& device) {
    OffloadOptions halo;
    halo.costs = std::make_shared<DeviceTable>(device);
    return plan_factorization(grid(),
                              {.workers = 2, .devices = {.present = true, .division = halo}});
  };
  const FactorPlan near = divided({});
  EXPECT_TRUE(near.offloads);
  EXPECT_GT(near.offload->flops, 0);
  EXPECT_LT(near.predicted_seconds, plan_for(1).predicted_seconds);
  DeviceTable far;
  far.back.latency = 1;
  const FactorPlan alone = divided(far);
  EXPECT_FALSE(alone.offloads);
  EXPECT_EQ(alone.offload->flops, 0);
  EXPECT_TRUE(alone.graph.contribution.empty());
  EXPECT_EQ(alone.predicted_seconds, plan_for(1).predicted_seconds);
}

/// Each rank plans the work of its devices as a single process does.
TEST(PlanRank, OffloadsWhereThatIsPredictedToPay) {
  const RankMap map =
      support::map_to_ranks(grid(), panel_seconds(grid(), KernelCost{}), 2, Mapping::proportional);
  for (Index rank = 0; rank < 2; ++rank) {
    const LocalStructure local = support::local_structure(grid(), map, rank);
    const auto divided = [&](const DeviceTable& device) {
      OffloadOptions halo;
      halo.costs = std::make_shared<DeviceTable>(device);
      return plan_factorization(local,
                                {.workers = 2, .devices = {.present = true, .division = halo}});
    };
    const FactorPlan host = plan_factorization(local, {.workers = 1});
    const FactorPlan near = divided({});
    EXPECT_TRUE(near.offloads);
    EXPECT_GT(near.offload->flops, 0);
    EXPECT_LT(near.predicted_seconds, host.predicted_seconds);
    DeviceTable far;
    far.back.latency = 1;
    const FactorPlan alone = divided(far);
    EXPECT_FALSE(alone.offloads);
    EXPECT_EQ(alone.offload->flops, 0);
    EXPECT_EQ(alone.graph.size(), host.graph.size());
    EXPECT_EQ(alone.predicted_seconds, host.predicted_seconds);
  }
}

/// The host has more work than the updates. So the plan counts the updates several times if the
/// factorization is then predicted to end sooner.
TEST(PlanRank, OffloadsMoreThanUpdatesAloneWouldSay) {
  const RankMap map =
      support::map_to_ranks(grid(), panel_seconds(grid(), KernelCost{}), 2, Mapping::proportional);
  double more = 0;
  for (Index rank = 0; rank < 2; ++rank) {
    const LocalStructure local = support::local_structure(grid(), map, rank);
    OffloadOptions halo;
    halo.costs = std::make_shared<DeviceTable>();
    const FactorPlan plan =
        plan_factorization(local, {.workers = 2, .devices = {.present = true, .division = halo}});
    const OffloadPlan updates_alone =
        plan_offload(local, plan.graph.cut, KernelCost{}, KernelCost{}, halo,
                     own_updates(local, local, plan.graph.tiling));
    EXPECT_GE(plan.offload->flops, updates_alone.flops);
    more += plan.offload->flops - updates_alone.flops;
  }
  EXPECT_GT(more, 0);
}

/// Tries devices with different times per task, with and without measured kernels.
TEST(Plan, OffloadsByGuessedCostsOnlyWhereThatSavesATenth) {
  const double alone = plan_for(1).predicted_seconds;
  Index saving_less = 0;
  for (const bool measured : {false, true}) {
    DeviceTable device;
    if (measured) device.syrk.seconds = device.gemm.seconds = {2e-11};
    for (const double price : {1e-6, 1e-5, 2e-5, 4e-5, 6e-5, 8e-5, 1e-4, 2e-4}) {
      device.task = price;
      OffloadOptions halo;
      halo.costs = std::make_shared<DeviceTable>(device);
      const FactorPlan plan = plan_factorization(
          grid(), {.workers = 2, .devices = {.present = true, .division = halo}});
      if (!plan.offloads) continue;
      EXPECT_LT(plan.predicted_seconds, alone / (measured ? 1 : 1.1));
      saving_less += plan.predicted_seconds > alone / 1.1 ? 1 : 0;
    }
  }
  EXPECT_GT(saving_less, 0);
}

TEST(ExpectMemory, ComparesWithTheLimitThatIsGiven) {
  EXPECT_NO_THROW(expect_memory(1000, 0));
  EXPECT_NO_THROW(expect_memory(1000, 1000));
  support::expect_error<MemoryError>([] { expect_memory(3 << 20, 2 << 20); },
                                     {"3.0 MiB", "limit of 2.0 MiB"});
}

TEST(ExpectMemory, ComparesWithWhatTheMachineHas) {
  support::expect_error<MemoryError>([] { expect_memory(Count{1} << 55, 0); },
                                     {"32.0 PiB", "is available"});
  support::expect_error<MemoryError>(
      [] { expect_memory(Count{1} << 55, std::numeric_limits<Count>::max()); }, {"is available"});
}

TEST(PredictedPeak, GrowsWithTheNumericMemory) {
  const Count peak = predicted_peak_bytes(grid(), 10000, {1, 100});
  EXPECT_GT(peak, grid().factor_bytes());
  EXPECT_GT(predicted_peak_bytes(grid(), 20000, {1, 100}), peak);
  EXPECT_GT(predicted_peak_bytes(grid(), 10000, {2, 100}), peak + 4 * Count{grid().n});
  EXPECT_GT(predicted_peak_bytes(grid(), 10000, {1, 200}), peak + 100 * Count{500});
  EXPECT_EQ(predicted_peak_bytes(grid(), 10000, {1, 100, 5000}), peak + 5000);
  const Count with_handles = predicted_peak_bytes(grid(), 10000, {1, 100, 0, 0, true});
  EXPECT_GT(with_handles, peak + 100 * Count{1000});
  EXPECT_LT(predicted_peak_bytes(grid(), 10000, {1, 100, 0, 50, true}), with_handles);
  EXPECT_EQ(predicted_peak_bytes(grid(), 10000, {1, 100, 0, 100, true}), with_handles);
  EXPECT_EQ(bytes_of_workers(2, 100), 2 * bytes_of_workers(1, 100));
  EXPECT_GT(bytes_of_workers(1, 200), bytes_of_workers(1, 100));
  const RankBytes kept{6000, 6000, 100, 800};
  const RankBytes with_more_beside{6000, 6000, 100, 800, 5000};
  EXPECT_EQ(predicted_peak_bytes(with_more_beside, 10), predicted_peak_bytes(kept, 10) + 5000);
  EXPECT_EQ(window_bytes(with_more_beside, {}), window_bytes(kept, {}));
}

/// Returns devices with these times per task and per copy, whose kernels take almost no time.
AnyTaskDevices devices_with(double task, double copy = 0) {
  DeviceTable table;
  table.to.latency = table.back.latency = copy;
  table.syrk = table.gemm = table.potrf = table.trsm = {{1, 1, 1}, {1e-15}};
  table.fill = 1e-15;
  table.task = task;
  return {8, std::make_shared<DeviceTable>(table)};
}

/// All ranks must have the same tiles, even if their devices differ.
TEST(PlanRank, PredictsByTheCostsOfDevicesAndKeepsItsTasks) {
  const RankMap map =
      support::map_to_ranks(grid(), panel_seconds(grid(), KernelCost{}), 2, Mapping::proportional);
  for (Index rank = 0; rank < 2; ++rank) {
    const LocalStructure local = support::local_structure(grid(), map, rank);
    const auto planned = [&](const std::optional<AnyTaskDevices>& devices) {
      return plan_factorization(local,
                                {.workers = 9, .devices = {.present = true, .any_task = devices}});
    };
    AnyTaskDevices devices = devices_with(1e-9);
    devices.may_be_idle = true;
    const FactorPlan alike = planned(std::nullopt);
    const FactorPlan fast = planned(devices);
    EXPECT_LE(fast.predicted_seconds, alike.predicted_seconds);
    EXPECT_TRUE(fast.offloads);
    EXPECT_EQ(fast.graph.counts(), alike.graph.counts());
    EXPECT_EQ(fast.graph.cut.group_of, alike.graph.cut.group_of);
    EXPECT_EQ(fast.graph.tiling.tile_begin, alike.graph.tiling.tile_begin);
  }
}

TEST(Plan, HasFewerTasksWhereDevicesTakeLongForEach) {
  const auto tasks = [](const std::optional<AnyTaskDevices>& devices) {
    return plan_factorization(grid(),
                              {.workers = 16, .devices = {.present = true, .any_task = devices}})
        .graph.size();
  };
  const Index alike = tasks(std::nullopt);
  EXPECT_LT(tasks(devices_with(5e-6)), alike);
  EXPECT_EQ(tasks(devices_with(1)), alike) << "the devices are too slow";
}

TEST(Plan, LeavesDevicesIdleInSmallProblemsWhereThatIsAllowedAndSooner) {
  const auto offloads = [](AnyTaskDevices devices, bool may_be_idle, FactorOptions options) {
    devices.may_be_idle = may_be_idle;
    return plan_factorization(grid(), {.workers = 9,
                                       .options = options,
                                       .devices = {.present = true, .any_task = devices}})
        .offloads;
  };
  const AnyTaskDevices fast = devices_with(1e-9);
  const AnyTaskDevices slow = devices_with(1e-3);
  EXPECT_FALSE(offloads(slow, true, {}));
  EXPECT_TRUE(offloads(slow, false, {}));
  EXPECT_TRUE(offloads(fast, true, {}));
  FactorOptions chosen;
  chosen.granularity = Granularity::tile;
  EXPECT_TRUE(offloads(slow, true, chosen)) << "the user's granularity stays";
}

TEST(Plan, HasPanelsForTheHostWhereItLeavesDevicesIdle) {
  const SymbolicFactor wide =
      support::structure_of(generate_matrix("laplace3d:18"), {"metis", 128, {}});
  const auto planned = [&](double task) {
    AnyTaskDevices devices = devices_with(task);
    devices.may_be_idle = true;
    return plan_factorization(wide, {.workers = 9,
                                     .devices = {.present = true, .any_task = devices},
                                     .in_host_panels = &grid()});
  };
  const FactorPlan busy = planned(1e-9);
  EXPECT_FALSE(busy.is_for_host);
  check(busy.graph, wide);
  const FactorPlan idle = planned(1e-2);
  EXPECT_TRUE(idle.is_for_host);
  EXPECT_FALSE(idle.offloads);
  check(idle.graph, grid());
  EXPECT_EQ(idle.predicted_seconds, plan_for(1).predicted_seconds)
      << "only the CPU worker runs tasks";
}

TEST(Plan, TakesMoreThanHalfOfTheTimeOfAllBlocks) {
  for (const char* const spec : {"laplace3d:18", "laplace2d:200", "irregular2d:20000"}) {
    SCOPED_TRACE(spec);
    const SymbolicFactor symbolic = support::structure_of(generate_matrix(spec));
    const std::vector<double> panels = panel_seconds(symbolic, KernelCost{});
    const double blocks = std::accumulate(panels.begin(), panels.end(), 0.0);
    for (const Index workers : {1, 15}) {
      const FactorPlan plan = plan_factorization(symbolic, {.workers = workers});
      EXPECT_GT(plan.predicted_seconds, 0.5 * blocks / workers) << workers;
    }
  }
}

TEST(Plan, OfATinyProblemHasPanelsForTheHostBesideDevices) {
  const auto tiny = [](Index panel_width) {
    return support::structure_of(generate_matrix("laplace2d:7"), {"metis", panel_width, {}});
  };
  const SymbolicFactor narrow = tiny(4);
  const AnyTaskDevices devices = devices_with(1e-9);
  const FactorPlan plan = plan_factorization(
      tiny(64),
      {.workers = 9, .devices = {.present = true, .any_task = devices}, .in_host_panels = &narrow});
  EXPECT_TRUE(plan.direct);
  EXPECT_TRUE(plan.is_for_host);
  check(plan.graph, narrow);
}

TEST(Plan, LeavesSmallerSubtreesToCpusBesideFastDevices) {
  const auto most = [](const FactorPlan& plan) {
    double seconds = 0;
    for (const Task& task : plan.graph.task) {
      if (task.kind == TaskKind::subtree) seconds = std::max(seconds, task.seconds);
    }
    return seconds;
  };
  const SymbolicFactor large =
      support::structure_of(generate_matrix("laplace3d:32"), {"metis", 64, {}});
  const auto planned = [&](const FactorOptions& options,
                           const std::optional<AnyTaskDevices>& devices) {
    return plan_factorization(
        large,
        {.workers = 12, .options = options, .devices = {.present = true, .any_task = devices}});
  };
  const FactorPlan alike = planned({}, std::nullopt);
  EXPECT_GT(alike.predicted_seconds * alike.workers, 20e-3) << "smaller problems have another cut";
  const FactorPlan beside = planned({}, devices_with(2e-6));
  EXPECT_LT(most(beside), most(alike));
  FactorOptions chosen;
  chosen.subtrees_per_worker = 3;
  EXPECT_EQ(most(planned(chosen, devices_with(2e-6))), most(alike)) << "the user's number counts";
}

TEST(Plan, ThatLeavesDevicesIdleIsTheOneOfTheCpusAlone) {
  KernelCost slow;
  slow.rate = 1e9;
  AnyTaskDevices devices = devices_with(1);
  devices.may_be_idle = true;
  const FactorPlan beside =
      plan_factorization(grid(), {.workers = 15 + devices.processors,
                                  .cost = slow,
                                  .devices = {.present = true, .any_task = devices}});
  const FactorPlan alone = plan_factorization(grid(), {.workers = 15, .cost = slow});
  EXPECT_FALSE(beside.offloads);
  EXPECT_EQ(beside.predicted_seconds, alone.predicted_seconds);
  EXPECT_EQ(beside.graph.size(), alone.graph.size());
}

TEST(Plan, LeavesDevicesIdleInLargeProblemsWhereTheyDoNotSaveMuch) {
  const SymbolicFactor large =
      support::structure_of(generate_matrix("laplace3d:32"), {"metis", 64, {}});
  const auto offloads = [&](double task) {
    AnyTaskDevices devices = devices_with(task);
    devices.may_be_idle = true;
    return plan_factorization(large,
                              {.workers = 12, .devices = {.present = true, .any_task = devices}})
        .offloads;
  };
  EXPECT_TRUE(offloads(1e-9));
  EXPECT_FALSE(offloads(1e-2));
}

TEST(Plan, LeavesDevicesIdleWhereTheirCopiesMayTakeWhatTheySave) {
  const SymbolicFactor small = support::structure_of(generate_matrix("irregular2d:6500"));
  const auto offloads = [&](double task, double copy) {
    AnyTaskDevices devices = devices_with(task, copy);
    devices.may_be_idle = true;
    return plan_factorization(small,
                              {.workers = 16, .devices = {.present = true, .any_task = devices}})
        .offloads;
  };
  const FactorPlan alone = plan_factorization(small, {.workers = 8});
  EXPECT_FALSE(alone.direct);
  EXPECT_LT(alone.predicted_seconds, 0.5e-3);
  EXPECT_TRUE(offloads(2e-6, 0));
  EXPECT_FALSE(offloads(2e-6, 1e-5));
}

TEST(Plan, LeavesTheMoreToDevicesTheLessTheyTakeForEachTask) {
  const SymbolicFactor large =
      support::structure_of(generate_matrix("laplace3d:32"), {"metis", 64, {}});
  const auto subtrees = [&](double task) {
    const FactorPlan plan = plan_factorization(
        large, {.workers = 12, .devices = {.present = true, .any_task = devices_with(task)}});
    return plan.graph.cut.groups.size();
  };
  EXPECT_GT(subtrees(1e-9), 1.5 * static_cast<double>(subtrees(1e-4)));
}

}  // namespace
}  // namespace espalier::internal
