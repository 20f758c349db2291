// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>
#include <limits>

#include "codelets/samples.hpp"

namespace espalier::internal {
namespace {

/// data[0] := 10 data[0] + digit. Reports a failure instead if `fails` is set.
struct AppendDigit : Arguments {
  double digit = 0;
  bool fails = false;

  void run(TaskData data, Worker& /*worker*/) const {
    if (fails) return context->failure.report(static_cast<Index>(digit));
    data[0](0, 0) = 10 * data[0](0, 0) + digit;
  }
};

class TaskListTest : public testing::Test {
 protected:
  TaskListTest() {
    for (double& number : number_) list_.data.push_back({&number, 1, 1, 1});
  }
  void add(TaskKind kind, Index data, double digit, bool fails = false) {
    const std::array accesses{Access{data, AccessMode::read_write}};
    const auto& task = task_.emplace_back(AppendDigit{{&context_}, digit, fails});
    Shape shape{kind};
    shape.flops = digit;
    shape.seconds = 0.5;
    list_.append(shape, task, accesses, 0);
  }
  const Workspace::Tally& tally(TaskKind kind) const {
    return sample_.workspace.tally[static_cast<std::size_t>(kind)];
  }

  std::array<double, 2> number_{};
  FactorContext context_;
  std::deque<AppendDigit> task_;
  TaskList list_;
  support::SampleWorker sample_{1};
};

TEST_F(TaskListTest, RunsInOrderOnTheDataOfEachTask) {
  add(TaskKind::diagonal, 0, 1);
  add(TaskKind::update, 1, 2);
  add(TaskKind::factor, 0, 3);
  add(TaskKind::update, 0, 4);
  run_sequentially(list_, sample_.worker);
  EXPECT_THAT(number_, testing::ElementsAre(134, 2));
}

TEST_F(TaskListTest, TellsPoliciesTheBudgetOfTheTasksFactor) {
  FactorContext other;
  const AppendDigit task{{&other}};
  add(TaskKind::update, 0, 1);
  list_.append({TaskKind::update}, task, {}, 0);
  EXPECT_EQ(list_.task[0].shape.device_budget, &context_.device_budget);
  EXPECT_EQ(list_.task[1].shape.device_budget, &other.device_budget);
}

TEST_F(TaskListTest, RecordsWhereAndWhenATaskRan) {
  add(TaskKind::update, 0, 2);
  add(TaskKind::update, 0, 3, true);
  add(TaskKind::update, 0, 4);
  sample_.workspace.worker = 7;
  EXPECT_EQ(list_.task[0].record.worker, -1);
  run_sequentially(list_, sample_.worker);
  const TaskRecord& first = list_.task[0].record;
  EXPECT_EQ(first.worker, 7);
  EXPECT_GE(first.begin, 0);
  EXPECT_GE(first.end, first.begin);
  EXPECT_GE(list_.task[1].record.begin, first.end);
  EXPECT_EQ(list_.task[2].record.worker, -1) << "it was left out after the failure";
}

TEST_F(TaskListTest, StopsOnceADeviceWasTooSmall) {
  add(TaskKind::update, 0, 2);
  add(TaskKind::update, 1, 3);
  context_.device_budget.exceeded = true;
  run_sequentially(list_, sample_.worker);
  for (const BoundTask& task : list_.task) EXPECT_EQ(task.record.worker, -1);
  EXPECT_TRUE(context_.failure.happened());
  EXPECT_EQ(context_.failure.column(), -1) << "no pivot failed";
}

TEST_F(TaskListTest, TalliesWhatWasRun) {
  add(TaskKind::update, 0, 2);
  add(TaskKind::update, 0, 3);
  add(TaskKind::factor, 0, 4);
  run_sequentially(list_, sample_.worker);
  EXPECT_EQ(tally(TaskKind::update).count, 2);
  EXPECT_EQ(tally(TaskKind::update).flops, 5);
  EXPECT_EQ(tally(TaskKind::update).predicted_seconds, 1);
  EXPECT_GE(tally(TaskKind::update).seconds, 0);
  EXPECT_EQ(tally(TaskKind::factor).count, 1);
  EXPECT_EQ(tally(TaskKind::diagonal).count, 0);
}

TEST_F(TaskListTest, CountsATaskInSlicesOnceButTheTimeOfEachSlice) {
  add(TaskKind::update, 0, 2);
  const BoundTask& task = list_.task.front();
  const std::array data{list_.data[0].as<double>()};
  Worker worker = sample_.worker;
  for (const Index rank : {1, 0, 2}) {
    worker.slice = {rank, 3};
    const double before = tally(TaskKind::update).seconds;
    task.perform(data, worker);
    EXPECT_GT(tally(TaskKind::update).seconds, before);
  }
  EXPECT_EQ(tally(TaskKind::update).count, 1);
  EXPECT_EQ(tally(TaskKind::update).flops, 2);
  EXPECT_EQ(tally(TaskKind::update).predicted_seconds, 0.5);
}

TEST_F(TaskListTest, SkipsWhatFollowsAFailure) {
  add(TaskKind::diagonal, 0, 1);
  add(TaskKind::diagonal, 0, 7, true);
  add(TaskKind::diagonal, 0, 2);
  run_sequentially(list_, sample_.worker);
  EXPECT_TRUE(is_marked_as_failed(list_.data[0].as<double>()));
  EXPECT_EQ(context_.failure.column(), 7);
  EXPECT_EQ(tally(TaskKind::diagonal).count, 2);
  context_.failure.reset();
  task_[1].fails = false;
  number_[0] = 0;
  run_sequentially(list_, sample_.worker);
  EXPECT_EQ(number_[0], 172);
}

/// The data that the task reads have come from another rank.
TEST_F(TaskListTest, SkipsWhatReadsAMarkOfAFailure) {
  add(TaskKind::update, 0, 1);
  const AppendDigit task{{&context_}, 2};
  list_.append({TaskKind::update}, task,
               std::array{Access{0, AccessMode::read_write}, Access{1, AccessMode::read}}, 0);
  mark_as_failed(list_.data[1].as<double>());
  run_sequentially(list_, sample_.worker);
  EXPECT_EQ(tally(TaskKind::update).count, 1);
  EXPECT_TRUE(context_.failure.happened());
  EXPECT_EQ(context_.failure.column(), -1) << "no pivot failed here";
  EXPECT_TRUE(is_marked_as_failed(list_.data[0].as<double>())) << "the mark tells the next rank";
}

/// The target of a task may hold the mark of an earlier factorization, and other workers may be
/// writing it. So the executor looks for no mark in a target, whatever its position among the data.
TEST_F(TaskListTest, LooksForMarksInWhatIsReadAlone) {
  const AppendDigit task{{&context_}, 2};
  const Access target{1, AccessMode::add};
  const Access first_target{0, AccessMode::add};
  list_.append({TaskKind::update}, task, std::array{first_target, target}, 0);
  list_.append({TaskKind::forward}, task, std::array{Access{0, AccessMode::read}, target}, 0);
  mark_as_failed(list_.data[1].as<double>());
  run_sequentially(list_, sample_.worker);
  EXPECT_FALSE(context_.failure.happened());
  EXPECT_EQ(tally(TaskKind::update).count, 1);
  EXPECT_EQ(tally(TaskKind::forward).count, 1);
}

TEST_F(TaskListTest, MarksAllThatATaskWouldHaveWritten) {
  const AppendDigit task{{&context_}, 2};
  context_.failure.report(3);
  list_.append({TaskKind::update}, task,
               std::array{Access{0, AccessMode::add}, Access{1, AccessMode::add}}, 0);
  run_sequentially(list_, sample_.worker);
  for (const DataView& data : list_.data) {
    EXPECT_TRUE(is_marked_as_failed(data.as<double>()));
  }
  number_ = {};
  list_.task.clear();
  list_.append({TaskKind::forward}, task,
               std::array{Access{0, AccessMode::read}, Access{1, AccessMode::read_write}}, 0);
  run_sequentially(list_, sample_.worker);
  EXPECT_FALSE(is_marked_as_failed(list_.data[0].as<double>())) << "others may be reading it";
  EXPECT_TRUE(is_marked_as_failed(list_.data[1].as<double>()));
}

/// Calibration runs tasks without data.
TEST_F(TaskListTest, RunsTasksWithoutData) {
  struct CountRuns : Arguments {
    int* runs = nullptr;
    void run(TaskData /*data*/, Worker& /*worker*/) const { ++*runs; }
  };
  int runs = 0;
  const CountRuns task{{&context_}, &runs};
  list_.append({TaskKind::update}, task, {}, 0);
  run_sequentially(list_, sample_.worker);
  context_.failure.report(1);
  run_sequentially(list_, sample_.worker);
  EXPECT_EQ(runs, 1);
}

/// No NaN that arithmetic produces has the bits of the mark.
TEST(FailureMark, IsUnlikeOtherNumbers) {
  for (double number : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity(), std::sqrt(-1.0)}) {
    EXPECT_FALSE(is_marked_as_failed({&number, 1, 1, 1})) << number;
  }
  EXPECT_FALSE(is_marked_as_failed({nullptr, 0, 0, 0}));
  mark_as_failed({nullptr, 0, 0, 0});
}

TEST_F(TaskListTest, KeepsTheAccessesOfEachTaskApart) {
  const AppendDigit task{{&context_}};
  const std::array three{Access{1, AccessMode::write}, Access{0, AccessMode::add},
                         Access{0, AccessMode::read}};
  list_.append({TaskKind::update}, task, three, 1.5f);
  list_.append({TaskKind::factor}, task, std::span(three).first(1), 2.5f);
  ASSERT_EQ(list_.accesses(list_.task[0]).size(), 3u);
  EXPECT_EQ(list_.accesses(list_.task[0])[1].mode, AccessMode::add);
  ASSERT_EQ(list_.accesses(list_.task[1]).size(), 1u);
  EXPECT_EQ(list_.accesses(list_.task[1])[0].data, 1);
  EXPECT_EQ(list_.task[1].shape.path, 2.5f);
}

}  // namespace
}  // namespace espalier::internal
