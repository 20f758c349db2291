// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/ordered_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/starpu/numbers.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {
namespace {

using support::Numbers;

class Ordered : public testing::TestWithParam<std::string> {
 protected:
  void expect_as_here(Numbers& numbers) {
    const std::vector<double> expected = numbers.run_here();
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ(numbers.run_ordered(starpu_), expected);
      EXPECT_EQ(numbers.tally(), numbers.size());
    }
  }

  StarpuInstance starpu_{RuntimeOptions{GetParam() == "random" ? 2 : 3, GetParam()}};
};

TEST_P(Ordered, RunsAChainInOrder) {
  Numbers numbers(2);
  for (int i = 0; i < 60; ++i) {
    numbers.add({{0, AccessMode::read_write}, {1, AccessMode::read}});
    numbers.add({{1, AccessMode::read_write}, {0, AccessMode::read}});
  }
  expect_as_here(numbers);
  EXPECT_EQ(numbers.most_at_once(), 1);
}

/// Tasks with any number of accesses, in any order. The result of additions does not depend on
/// their order, because each addition reads only numbers that are not added to.
TEST_P(Ordered, RunsRandomGraphs) {
  std::mt19937_64 generator(7);
  constexpr Index count = 12;
  for (int graph = 0; graph < 8; ++graph) {
    Numbers numbers(count);
    for (int t = 0; t < 150; ++t) {
      std::vector<Access> accesses;
      std::vector<Index> data(count);
      std::iota(data.begin(), data.end(), 0);
      std::shuffle(data.begin(), data.end(), generator);
      const Index used = 1 + static_cast<Index>(generator() % 5);
      const bool alone = used == 1;  // 3 x + 1 commutes with itself
      accesses.push_back({data[0], alone ? AccessMode::add : AccessMode::read_write});
      for (Index i = 1; i < used; ++i) accesses.push_back({data[i], AccessMode::read});
      numbers.add(accesses);
    }
    expect_as_here(numbers);
  }
}

/// Additions to one number never overlap.
TEST_P(Ordered, RunsAdditionsToOneNumberOneAtATime) {
  Numbers numbers(1);
  for (int i = 0; i < 300; ++i) numbers.add({{0, AccessMode::add}});
  expect_as_here(numbers);
  EXPECT_EQ(numbers.most_at_once(), 1);
}

/// Each task adds to two numbers, in either order of its accesses, so it takes two turns.
TEST_P(Ordered, DoesNotBlockTasksThatTakeSeveralTurns) {
  std::mt19937_64 generator(3);
  Numbers numbers(4);
  for (int i = 0; i < 300; ++i) {
    const auto first = static_cast<Index>(generator() % 4);
    const auto second = static_cast<Index>((first + 1 + generator() % 3) % 4);
    numbers.add({{first, AccessMode::add}, {second, AccessMode::add}});
  }
  numbers.run_ordered(starpu_);
  EXPECT_EQ(numbers.tally(), numbers.size());
  EXPECT_LE(numbers.most_at_once(), 2) << "two tasks added to one number at once";
}

TEST_P(Ordered, RunsNothingOfAnEmptyList) {
  Numbers numbers(1);
  EXPECT_EQ(numbers.run_ordered(starpu_), (std::vector<double>{1}));
}

TEST_P(Ordered, SkipsTheWorkOfTasksAfterAFailure) {
  Numbers numbers(1);
  for (int i = 0; i < 10; ++i) numbers.add({{0, AccessMode::read_write}});
  numbers.context().failure.report(5);
  std::vector<double> after = numbers.run_ordered(starpu_);
  EXPECT_TRUE(is_marked_as_failed({after.data(), 1, 1, 1}));
  EXPECT_EQ(numbers.tally(), 0);
}

TEST_P(Ordered, StartsWhenTheRunBeforeHasEnded) {
  Numbers numbers(1);
  for (int i = 0; i < 100; ++i) numbers.add({{0, AccessMode::read_write}});
  Numbers others(1);
  for (int i = 0; i < 100; ++i) others.add({{0, AccessMode::read_write}});
  numbers.start(starpu_.workers());
  others.start(starpu_.workers());
  OrderedRun first(numbers.list());
  OrderedRun second(others.list());
  TaskRunner runner(starpu_);
  for (int repetition = 0; repetition < 5; ++repetition) {
    runner.start(first);
    runner.start(second);
    runner.wait_for_tasks();
    const auto ends_before = [](const BoundTask& a, const BoundTask& b) {
      return a.record.end < b.record.end;
    };
    const auto last = std::ranges::max_element(numbers.list().task, ends_before);
    const auto begin = std::ranges::min_element(others.list().task, ends_before);
    // Each context has its own clock. This one is read first, so that a pause of this thread
    // between both readings does not matter.
    const double began_before = others.context().clock.seconds() - begin->record.begin;
    EXPECT_GE(numbers.context().clock.seconds() - last->record.end, began_before - 1e-6);
  }
  runner.wait();
  EXPECT_EQ(numbers.tally(), 500);
  EXPECT_EQ(others.tally(), 500);
}

INSTANTIATE_TEST_SUITE_P(Policies, Ordered,
                         testing::Values("espalier", "prio", "lws", "eager", "random", "dmda"),
                         [](const auto& info) { return info.param; });

TEST(OrderedRun, AnnouncesTheWorkOfAllTasksWithTheFirst) {
  Numbers numbers(3);
  numbers.add({{0, AccessMode::read_write}});
  numbers.add({{1, AccessMode::read_write}});
  numbers.add({{2, AccessMode::read_write}, {0, AccessMode::read}, {1, AccessMode::read}});
  for (BoundTask& task : numbers.list().task) task.shape.seconds = 2;
  const OrderedRun run(numbers.list());
  EXPECT_EQ(run.first_tasks(), 2);
  EXPECT_EQ(numbers.list().task[0].shape.announced, 3);
  EXPECT_EQ(numbers.list().task[1].shape.announced, 3);
  EXPECT_EQ(numbers.list().task[2].shape.announced, 0);
}

}  // namespace
}  // namespace espalier::internal
