// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/fanout.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "schedulers/scheduled_factor.hpp"

namespace espalier {
namespace {

TaskFacts block(Index row, Index column) {
  TaskFacts facts;
  facts.row = row;
  facts.column = column;
  return facts;
}

TEST(WorkerGrid, IsTheMostSquareOneWithAllWorkers) {
  const auto expect = [](Index workers, Index rows, Index columns) {
    const WorkerGrid grid = most_square_grid(workers);
    EXPECT_EQ(grid.rows, rows) << workers;
    EXPECT_EQ(grid.columns, columns) << workers;
  };
  expect(1, 1, 1);
  expect(2, 1, 2);
  expect(4, 2, 2);
  expect(6, 2, 3);
  expect(7, 1, 7);
  expect(12, 3, 4);
  expect(16, 4, 4);
  for (Index workers = 1; workers < 200; ++workers) {
    EXPECT_EQ(most_square_grid(workers).size(), workers);
  }
}

TEST(FanoutOwner, MeetsOneRowOfTheGridABlockRowAndOneColumnABlockColumn) {
  for (const WorkerGrid grid : {WorkerGrid{2, 2}, WorkerGrid{2, 3}, WorkerGrid{3, 4}}) {
    const Index period = grid.size();
    for (Index fixed = 0; fixed < 3 * period; ++fixed) {
      std::set<Index> in_row;
      std::set<Index> in_column;
      for (Index other = 0; other < period; ++other) {
        in_row.insert(owner_of_block(grid, fixed, other));
        in_column.insert(owner_of_block(grid, other, fixed));
      }
      EXPECT_EQ(std::ssize(in_row), grid.columns);
      EXPECT_EQ(std::ssize(in_column), grid.rows);
    }
  }
}

TEST(FanoutOwner, GivesEveryWorkerTheSameShareOfBlocksAndOfDiagonalBlocks) {
  for (const Index workers : {1, 2, 4, 6, 9, 12}) {
    const WorkerGrid grid = most_square_grid(workers);
    std::vector<int> blocks(workers, 0);
    std::vector<int> diagonal(workers, 0);
    for (Index row = 0; row < workers; ++row) {
      ++diagonal.at(owner_of_block(grid, row, row));
      for (Index column = 0; column < workers; ++column) {
        ++blocks.at(owner_of_block(grid, row, column));
      }
    }
    EXPECT_EQ(blocks, std::vector<int>(workers, workers));
    EXPECT_EQ(diagonal, std::vector<int>(workers, 1));
  }
}

TEST(FanoutMap, GoesByTheBlockThenByOneCoordinateThenByTheData) {
  FanoutMap map(WorkerGrid{2, 2});
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

TEST(FanoutMap, LeavesTasksWithoutDataToTheLeastLoaded) {
  EXPECT_EQ(least_loaded(std::vector<Count>{3, 1, 1, 2}), 1);
  EXPECT_EQ(least_loaded(std::vector<Count>{0}), 0);
}

TEST(FanoutDevices, TakeOperationsFromTheirThresholdOn) {
  const DeviceThresholds from{};
  const auto goes = [&](TaskKind kind, Index m, Index n, Index k, Index row, bool ours = true) {
    TaskFacts facts = block(row, 3);
    facts.ours = ours;
    facts.kind = kind;
    facts.m = m;
    facts.n = n;
    facts.k = k;
    return is_for_device(facts, from);
  };
  EXPECT_FALSE(goes(TaskKind::diagonal, 1224, 1224, 1224, 3));
  EXPECT_TRUE(goes(TaskKind::diagonal, 1225, 1225, 1225, 3));
  EXPECT_FALSE(goes(TaskKind::factor, 299, 300, 300, 5));
  EXPECT_TRUE(goes(TaskKind::factor, 300, 300, 300, 5));
  EXPECT_FALSE(goes(TaskKind::update, 499, 400, 100, 3));
  EXPECT_TRUE(goes(TaskKind::update, 500, 400, 100, 3)) << "SYRK";
  EXPECT_FALSE(goes(TaskKind::update, 999, 500, 100, 5)) << "GEMM";
  EXPECT_TRUE(goes(TaskKind::update, 1000, 100, 500, 5)) << "the left operand is large";
  EXPECT_FALSE(goes(TaskKind::subtree, 100000, 100000, 1000, 3));
  EXPECT_FALSE(goes(TaskKind::diagonal, 5000, 5000, 5000, 3, false)) << "a foreign task";
}

class Fanout : public testing::TestWithParam<Index> {
 protected:
  static std::string in_digits(const WorkerGrid& grid) {
    return "grid=" + std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
  }

  void expect_owners(const WorkerGrid& grid, const std::vector<std::string>& options) {
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
  for (const WorkerGrid grid : {WorkerGrid{1, 1}, WorkerGrid{3, 2}, WorkerGrid{GetParam(), 1}}) {
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
}  // namespace espalier
