// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/w_partitions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

namespace espalier {
namespace {

constexpr std::array two_workers{0, 1};

std::optional<Index> choice(const WPartitions& parts, int worker) {
  return parts.choose(worker, [](Index) { return true; });
}

TEST(WPartitions, BelongToWhoeverTakesTheirFirstTask) {
  WPartitions parts;
  parts.arrive(5);
  parts.arrive(5);
  EXPECT_EQ(choice(parts, 0), 5);
  EXPECT_EQ(choice(parts, 1), 5);
  parts.take(5, 1);
  EXPECT_EQ(choice(parts, 0), std::nullopt);
  EXPECT_EQ(choice(parts, 1), 5);
  parts.take(5, 1);
  EXPECT_EQ(choice(parts, 1), std::nullopt) << "nothing is ready";
  parts.arrive(5);
  EXPECT_EQ(choice(parts, 0), std::nullopt) << "also after it was empty";
}

TEST(WPartitions, OfAWorkerComeBeforeThoseOfNobody) {
  WPartitions parts;
  parts.arrive(1);
  parts.take(1, 0);
  parts.arrive(0);
  EXPECT_EQ(choice(parts, 0), 0) << "of what it owns nothing is ready";
  parts.arrive(1);
  EXPECT_EQ(choice(parts, 0), 1);
  EXPECT_EQ(choice(parts, 1), 0);
}

TEST(WPartitions, OfAWorkerThatLeavesAreAnybodys) {
  WPartitions parts;
  parts.arrive(3);
  parts.take(3, 0);
  parts.arrive(3);
  parts.leave(1);
  EXPECT_EQ(choice(parts, 1), std::nullopt);
  parts.leave(0);
  EXPECT_EQ(choice(parts, 1), 3);
}

TEST(WPartitions, DealOutSingleTasksByPredictedSeconds) {
  WPartitions parts;
  const Index first = parts.arrive_alone(two_workers, 3.0);
  const Index second = parts.arrive_alone(two_workers, 1.0);
  EXPECT_NE(first, second);
  EXPECT_EQ(parts.arrive_alone(two_workers, 1.5), second) << "1 is less than 3";
  EXPECT_EQ(parts.arrive_alone(two_workers, 1.0), second) << "2.5 is less than 3";
  EXPECT_EQ(parts.arrive_alone(two_workers, 1.0), first) << "3.5 is more than 3";
  EXPECT_EQ(choice(parts, 0), first);
  EXPECT_EQ(choice(parts, 1), second);
}

TEST(WPartitions, DealOutSingleTasksOnlyToWhoCanExecuteThem) {
  WPartitions parts;
  constexpr std::array only_one{1};
  for (int task = 0; task < 3; ++task) {
    parts.arrive_alone(only_one, 1.0);
    EXPECT_EQ(choice(parts, 0), std::nullopt);
    EXPECT_TRUE(choice(parts, 1).has_value());
  }
}

TEST(WPartitions, LeaveTasksThatNobodyCanExecuteToWhoeverCanLater) {
  WPartitions parts;
  const Index number = parts.arrive_alone({}, 1.0);
  parts.arrive_alone({}, 1.0);
  EXPECT_EQ(choice(parts, 0), number);
  parts.take(number, 1);
  EXPECT_EQ(choice(parts, 0), number);
}

TEST(WPartitions, WithoutATaskForTheWorkerArePassedOver) {
  WPartitions parts;
  parts.arrive(4);
  parts.take(4, 0);
  for (const Index number : {2, 3, 4}) parts.arrive(number);
  std::vector<Index> asked;
  const auto chosen = parts.choose(0, [&](Index number) {
    asked.push_back(number);
    return number == 3;
  });
  EXPECT_EQ(chosen, 3);
  EXPECT_EQ(asked, (std::vector<Index>{4, 2, 3}));
}

/// Random arrivals and takes: one worker a partition, and nothing is left over.
TEST(WPartitions, KeepOneWorkerEachInAnyOrder) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 50; ++run) {
    WPartitions parts;
    std::map<Index, int> owner;
    int to_come = 100;
    for (int left = 100; left > 0;) {
      if (to_come > 0 && random() % 2 == 0) {
        parts.arrive(static_cast<Index>(random() % 6));
        --to_come;
      }
      const int worker = static_cast<int>(random() % 3);
      const auto part = choice(parts, worker);
      if (!part) continue;
      EXPECT_EQ(owner.try_emplace(*part, worker).first->second, worker) << "partition " << *part;
      parts.take(*part, worker);
      --left;
    }
    for (int worker = 0; worker < 3; ++worker) EXPECT_FALSE(choice(parts, worker).has_value());
  }
}

}  // namespace
}  // namespace espalier
