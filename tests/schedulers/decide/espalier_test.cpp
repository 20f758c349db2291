// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/espalier.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace espalier::internal {
namespace {

using Tasks = ReadyTasks<const int*>;
using Ready = Tasks::Ready;

constexpr std::array numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

bool any(const Ready& /*ready*/) { return true; }

TEST(PathThatMayBePutOff, IsShorterThanTheShareByTwoTasks) {
  EXPECT_TRUE(may_put_off(1, 0.4, 2));
  EXPECT_FALSE(may_put_off(1, 0.6, 2));
  EXPECT_FALSE(may_put_off(3, 0.1, 2));
  EXPECT_FALSE(may_put_off(-1, 0.1, 2)) << "path unknown";
  EXPECT_FALSE(may_put_off(1, -1, 2)) << "seconds unknown";
}

/// Tasks of one second each. Task k has priority k and path k.
class ReadyTasksTest : public testing::Test {
 protected:
  void push(int number, int keeper, int priority) {
    tasks_.push({&numbers[number], priority, static_cast<double>(priority), 1.0}, keeper);
  }
  void push(int number, int keeper) { push(number, keeper, number); }

  /// Returns the task that this worker of `workers` takes, among the allowed ones.
  template <class MayTake>
  const int* pop(int worker, Index workers, MayTake may_take) {
    const Ready ready = tasks_.pop(worker, ahead_.share(workers), may_take);
    ahead_.begin(ready.seconds);
    return ready.task;
  }

  Tasks tasks_;
  WorkAhead ahead_;
};

TEST_F(ReadyTasksTest, GoByPriorityThenInTheOrderTheyCame) {
  for (const int k : {3, 7, 5}) push(k, 0, k % 2 == 1 && k < 7 ? 1 : 2);
  ahead_.expect(3);
  EXPECT_EQ(pop(0, 1, any), &numbers[7]);
  EXPECT_EQ(pop(0, 1, any), &numbers[3]);
  EXPECT_EQ(pop(0, 1, any), &numbers[5]);
  EXPECT_EQ(pop(0, 1, any), nullptr);
}

TEST_F(ReadyTasksTest, WithMuchWorkAheadAreTheWorkersOwnFromTheLastOn) {
  ahead_.expect(1000);
  push(9, Tasks::nobody);
  for (const int k : {2, 4, 3}) push(k, 1);
  push(8, 0);
  EXPECT_EQ(pop(1, 2, any), &numbers[3]);
  EXPECT_EQ(pop(1, 2, any), &numbers[4]);
  EXPECT_EQ(pop(5, 2, any), &numbers[9]) << "a worker without own tasks";
  EXPECT_EQ(pop(1, 2, any), &numbers[2]);
  EXPECT_EQ(pop(1, 2, any), &numbers[8]) << "the task of another worker";
  EXPECT_EQ(pop(0, 2, any), nullptr) << "another worker has taken it";
}

TEST_F(ReadyTasksTest, DoNotPutOffThePathOnceItIsLongerThanTheRest) {
  ahead_.expect(14);
  push(9, Tasks::nobody);
  push(1, 0);
  EXPECT_EQ(pop(0, 2, any), &numbers[9]) << "7 seconds for each worker, 9 on the path";
  ahead_.expect(100);
  push(9, Tasks::nobody);
  EXPECT_EQ(pop(0, 2, any), &numbers[1]);
}

TEST_F(ReadyTasksTest, OfWorkersWhoLeaveGoToOthers) {
  ahead_.expect(1000);
  push(1, 0);
  push(2, 0);
  tasks_.forget_keeper(0);
  tasks_.forget_keeper(7);
  EXPECT_EQ(pop(0, 1, any), &numbers[2]);
  EXPECT_EQ(pop(0, 1, any), &numbers[1]);
}

TEST_F(ReadyTasksTest, AreTakenByWhoCanExecuteThem) {
  const auto even = [](const Ready& ready) { return *ready.task % 2 == 0; };
  ahead_.expect(1000);
  for (const int k : {2, 4, 7, 5}) push(k, 0);
  EXPECT_EQ(pop(0, 1, even), &numbers[4]);
  EXPECT_EQ(pop(0, 1, even), &numbers[2]);
  EXPECT_EQ(pop(0, 1, even), nullptr);
  EXPECT_EQ(pop(0, 1, any), &numbers[5]);
}

TEST_F(ReadyTasksTest, AreLookedAtFromTheFirstOnAsManyAsAreAskedFor) {
  for (const int k : {1, 2, 5, 7}) push(k, Tasks::nobody);
  const auto even = [](const Ready& ready) { return *ready.task % 2 == 0; };
  EXPECT_EQ(tasks_.pop_first(even, 2).task, nullptr);
  EXPECT_EQ(tasks_.pop_first(even, 3).task, &numbers[2]);
  EXPECT_EQ(tasks_.pop_first(any, 1).task, &numbers[7]);
}

TEST_F(ReadyTasksTest, WhoseDataAreThereGoBeforeOthersWhichAreSentForOnce) {
  for (const int k : {1, 2, 5, 7}) push(k, Tasks::nobody);
  std::vector<int> sent_for;
  const auto send_for = [&](const Ready& ready) {
    sent_for.push_back(*ready.task);
    return *ready.task != 7;
  };
  const auto even = [](const Ready& ready) { return *ready.task % 2 == 0; };
  const auto not_five = [](const Ready& ready) { return *ready.task != 5; };
  EXPECT_EQ(tasks_.pop_arrived(any, even, send_for, 2).task, nullptr);
  EXPECT_EQ(sent_for, (std::vector{7, 5}));
  EXPECT_EQ(tasks_.pop_arrived(any, even, send_for, 3).task, &numbers[2]);
  EXPECT_EQ(sent_for, (std::vector{7, 5, 7}))
      << "data that could not be requested are requested again";
  EXPECT_EQ(tasks_.pop_arrived(not_five, even, send_for, 3).task, nullptr);
  EXPECT_EQ(sent_for, (std::vector{7, 5, 7, 7, 1}));
  EXPECT_FALSE(tasks_.pop_first(any).is_sent_for);
  EXPECT_TRUE(tasks_.pop_first(any).is_sent_for);
}

TEST(ReadyTasks, GoOnceEachWhoeverAsks) {
  std::mt19937_64 random(3);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Tasks tasks;
    WorkAhead ahead;
    std::multiset<const int*> waiting;
    for (int step = 0; step < 60; ++step) {
      const int worker = static_cast<int>(random() % 3);
      if (random() % 2 == 0) {
        const int* const task = &numbers[random() % numbers.size()];
        ahead.expect(static_cast<double>(random() % 8));
        tasks.push({task, static_cast<int>(random() % 3), static_cast<double>(random() % 6), 1.0},
                   worker - 1);
        waiting.insert(task);
      } else {
        const int* const task = tasks.pop(worker, ahead.share(3), any).task;
        ASSERT_EQ(task == nullptr, waiting.empty());
        if (task != nullptr) waiting.extract(task);
      }
    }
    while (const int* const task = tasks.pop(0, ahead.share(3), any).task) {
      ASSERT_TRUE(waiting.contains(task));
      waiting.extract(task);
    }
    EXPECT_TRUE(waiting.empty());
  }
}

}  // namespace
}  // namespace espalier::internal
