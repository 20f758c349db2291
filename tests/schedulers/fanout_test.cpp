// SPDX-License-Identifier: BSD-3-Clause

#include "schedulers/decide/fanout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/scheduled_factor.hpp"

namespace espalier::internal {
namespace {

TaskFacts block(Index row, Index column) {
  TaskFacts facts;
  facts.row = row;
  facts.column = column;
  return facts;
}

TEST(FanoutMap, GoesByTheBlockThenByOneCoordinateThenByTheData) {
  FanoutMap map(BlockGrid{2, 2});
  int first = 0;
  int second = 0;
  TaskFacts known = block(1, 2);
  known.written = &first;
  EXPECT_EQ(map.owner(known), owner_of_block({2, 2}, 1, 2));
  EXPECT_EQ(map.owner(block(7, -1)), 3);

  TaskFacts data;
  data.written = &first;
  EXPECT_EQ(map.owner(data), 0);
  data.written = &second;
  EXPECT_EQ(map.owner(data), 1);
  data.written = &first;
  EXPECT_EQ(map.owner(data), 0);
  EXPECT_EQ(map.owner(TaskFacts{}), std::nullopt);
}

TEST(DataNumbers, KeepsThoseInUseAndForgetsOthers) {
  constexpr std::size_t all = 5 * DataNumbers::most;
  const std::vector<char> data(all);
  DataNumbers numbers;
  for (std::size_t k = 0; k < all; ++k) {
    ASSERT_EQ(numbers.of(&data[k]), static_cast<Count>(k));
    ASSERT_EQ(numbers.of(&data[0]), 0) << "after " << k;
    ASSERT_LE(numbers.size(), 2 * DataNumbers::most);
  }
  EXPECT_EQ(numbers.of(&data[1]), static_cast<Count>(all)) << "the data are forgotten";
}

TEST(FanoutMap, CountsBlocksAmongThoseOfTheRank) {
  FanoutMap map(BlockGrid{2, 2});
  TaskFacts facts = block(8, 8);
  facts.own_row = 3;
  facts.own_column = 2;
  EXPECT_EQ(map.owner(facts), owner_of_block({2, 2}, 3, 2));
}

BlockGrid owners(Index workers, const std::vector<std::string>& options) {
  const StarpuInstance starpu(RuntimeOptions{workers, "fanout", options});
  return starpu.policy_traits().needs(starpu.policy_settings()).owners;
}

TEST(Fanout, NeedsBatchesForItsGridOfWorkers) {
  const BlockGrid chosen = owners(4, {});
  EXPECT_EQ(chosen.rows, 2);
  EXPECT_EQ(chosen.columns, 2);
  const BlockGrid given = owners(2, {"grid=3x1"});
  EXPECT_EQ(given.rows, 3);
  EXPECT_EQ(given.columns, 1);
  EXPECT_EQ(owners(2, {"join=0"}).size(), 0);
}

TEST(FanoutMap, LeavesTasksWithoutDataToTheLeastLoaded) {
  EXPECT_EQ(least_loaded(std::vector<Count>{3, 1, 1, 2}), 1);
  EXPECT_EQ(least_loaded(std::vector<Count>{0}), 0);
}

TaskFacts task_of(TaskKind kind, Index m, Index n, Index k, Index square = 0, Index row = 5) {
  TaskFacts facts = block(row, 3);
  facts.ours = true;
  facts.kind = kind;
  facts.m = m;
  facts.n = n;
  facts.k = k;
  facts.square = square;
  return facts;
}

TEST(FanoutDevices, TakeOperationsFromTheirThresholdOn) {
  const auto goes = [](TaskKind kind, Index m, Index n, Index k, Index square = 0, Index row = 5) {
    return is_for_device(task_of(kind, m, n, k, square, row), DeviceThresholds{});
  };
  EXPECT_FALSE(goes(TaskKind::diagonal, 1224, 1224, 1224));
  EXPECT_TRUE(goes(TaskKind::diagonal, 1225, 1225, 1225));
  EXPECT_FALSE(goes(TaskKind::factor, 299, 300, 300));
  EXPECT_TRUE(goes(TaskKind::factor, 300, 300, 300));
  EXPECT_FALSE(goes(TaskKind::update, 400, 400, 499, 400));
  EXPECT_TRUE(goes(TaskKind::update, 400, 400, 500, 400)) << "SYRK";
  EXPECT_FALSE(goes(TaskKind::update, 999, 500, 100)) << "GEMM";
  EXPECT_TRUE(goes(TaskKind::update, 1000, 100, 500)) << "the left operand is large";
  EXPECT_FALSE(goes(TaskKind::update, 5099, 100, 100, 100)) << "neither SYRK nor GEMM are large";
  EXPECT_TRUE(goes(TaskKind::update, 5100, 100, 100, 100)) << "the GEMM below a SYRK";
  EXPECT_FALSE(goes(TaskKind::subtree, 100000, 100000, 1000));
}

TEST(FanoutDevices, TakeForeignTasksByTheirLargestPieceOrByWhatIsPredicted) {
  DeviceThresholds from;
  TaskFacts foreign;
  foreign.entries = 499999;
  EXPECT_FALSE(is_for_device(foreign, from));
  foreign.entries = 500000;
  EXPECT_TRUE(is_for_device(foreign, from)) << "as large as a GEMM for a device";
  from.foreign = {1e6, true};
  EXPECT_FALSE(is_for_device(foreign, from)) << "no model predicts its time";
  foreign.seconds = 3;
  foreign.device_measured = true;
  EXPECT_FALSE(is_for_device(foreign, from)) << "the time on a device is not predicted";
  foreign.device_seconds = 2;
  EXPECT_TRUE(is_for_device(foreign, from));
  foreign.device_copy = 1;
  EXPECT_FALSE(is_for_device(foreign, from)) << "its data must be copied";
}

TEST(FanoutDevices, HaveThresholdsOfTheirOwnInSolves) {
  DeviceThresholds from;
  for (const TaskKind kind : {TaskKind::forward, TaskKind::backward}) {
    EXPECT_FALSE(is_for_device(task_of(kind, 299, 64, 299, 299), from));
    EXPECT_TRUE(is_for_device(task_of(kind, 300, 64, 300, 300), from)) << "TRSM";
    EXPECT_FALSE(is_for_device(task_of(kind, 1999, 64, 250), from));
    EXPECT_TRUE(is_for_device(task_of(kind, 2000, 64, 250), from)) << "GEMM";
    EXPECT_FALSE(is_for_device(task_of(kind, 100000, 64, 1000, 0, -1), from)) << "a subtree";
  }
  from.solve_trsm = {1e9};
  from.solve_gemm = {1e9};
  EXPECT_FALSE(is_for_device(task_of(TaskKind::forward, 9000, 64, 300, 300), from));
  EXPECT_TRUE(is_for_device(task_of(TaskKind::factor, 300, 300, 300), from));
}

TEST(FanoutDevices, TakeWhatIsPredictedToBeDoneSoonerWhereThatWasMeasured) {
  DeviceThresholds from;
  from.gemm = {100, true};
  TaskFacts task = task_of(TaskKind::update, 10, 10, 10);
  task.seconds = 3;
  task.device_seconds = 4;
  EXPECT_TRUE(is_for_device(task, from))
      << "by its size, because the prediction is only a built-in estimate";
  task.device_measured = true;
  EXPECT_FALSE(is_for_device(task, from));
  task.device_seconds = 2;
  EXPECT_TRUE(is_for_device(task, from));
  task.m = 5;
  EXPECT_TRUE(is_for_device(task, from)) << "however small it is";
  task.device_copy = 1;
  EXPECT_FALSE(is_for_device(task, from)) << "not if the operand must be copied";
  task.kind = TaskKind::factor;
  task.device_copy = 0;
  EXPECT_FALSE(is_for_device(task, from)) << "TRSM has a threshold";
}

TEST(FanoutDevices, TakeBlockColumnsInTurnAndOtherDataInTurn) {
  DeviceMap one(1);
  EXPECT_EQ(one.device(block(9, 4)), 0);
  DeviceMap three(3);
  EXPECT_EQ(three.device(block(9, 4)), 1);
  EXPECT_EQ(three.device(block(5, 4)), 1);
  EXPECT_EQ(three.device(block(9, 5)), 2);
  TaskFacts of_rank = block(9, 5);
  of_rank.own_row = of_rank.own_column = 0;
  EXPECT_EQ(three.device(of_rank), 2) << "by the column of the matrix";
  std::array<int, 4> data{};
  TaskFacts foreign;
  for (int& piece : data) {
    foreign.written = &piece;
    EXPECT_EQ(three.device(foreign), (&piece - data.data()) % 3);
  }
  EXPECT_EQ(three.device(foreign), 0) << "the same device again";
  EXPECT_EQ(three.device(TaskFacts{}), 0) << "writes nothing";
}

TEST(FanoutBytes, IsWhatTheUserAllowsOrWhatIsFree) {
  EXPECT_EQ(bytes_allowed_on_device(1000, {.total = 500, .used = 400}, 100), 1000);
  EXPECT_EQ(bytes_allowed_on_device(0, {}, 0), 0);
  EXPECT_EQ(bytes_allowed_on_device(-1, {.total = 500, .used = 400}, 100), 200) << "others use 300";
  EXPECT_EQ(bytes_allowed_on_device(-1, {.total = 500, .used = 50}, 100), 500)
      << "some of the 100 are not in use yet";
  EXPECT_EQ(bytes_allowed_on_device(-1, {}, 100), DeviceMemory::unlimited);
}

class Fanout : public testing::TestWithParam<Index> {
 protected:
  static std::string in_digits(const BlockGrid& grid) {
    return "grid=" + std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
  }

  void expect_owners(const BlockGrid& grid, const std::vector<std::string>& options) {
    const Index workers = GetParam();
    support::ScheduledFactors factors("fanout", workers, options);
    factors.for_each([&](const TaskGraph&, const TaskList& list) {
      for (const BoundTask& task : list.task) {
        const Index cell = owner_of_block(grid, task.shape.row, task.shape.column);
        EXPECT_EQ(task.record.worker, cell % workers);
      }
    });
  }
};

TEST_P(Fanout, RunsEveryTaskOnItsOwner) { expect_owners(most_square_grid(GetParam()), {}); }

TEST_P(Fanout, RunsEveryTaskOnItsOwnerInAGridOfTheUsers) {
  for (const BlockGrid grid : {BlockGrid{1, 1}, BlockGrid{3, 2}, BlockGrid{GetParam(), 1}}) {
    expect_owners(grid, {in_digits(grid)});
  }
}

TEST_P(Fanout, RunsEveryTaskOnItsOwnerInAnyOrder) {
  for (const char* const order : {"fifo", "lifo", "priority"}) {
    expect_owners(most_square_grid(GetParam()), {std::string("ready_order=") + order});
  }
}

TEST_P(Fanout, KeepsItsOtherPromisesWhileItSteals) {
  bool stolen = false;
  support::ScheduledFactors factors("fanout", GetParam(), {"steal=1", "grid=1x1"});
  factors.for_each([&](const TaskGraph&, const TaskList& list) {
    for (const BoundTask& task : list.task) stolen = stolen || task.record.worker != 0;
  });
  EXPECT_EQ(stolen, GetParam() > 1);
}

INSTANTIATE_TEST_SUITE_P(Workers, Fanout, testing::Values(1, 2, 4));

}  // namespace
}  // namespace espalier::internal
