// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/annealing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace espalier::internal {
namespace {

/// Waves in a valley, with dozens of minima. The lowest one is 0, at 618.
double waves(int x) {
  const double away = x - 618;
  return away * away / 20'000 + 1 - std::cos(away / 5);
}

struct Outcome {
  std::vector<Improvement<int>> improvements;
  int evaluations = 0;
};

Outcome annealed(unsigned seed, int steps, Cooling cooling) {
  RandomNumbers random(seed);
  Outcome outcome;
  const auto value = [&](int x) {
    ++outcome.evaluations;
    return waves(x);
  };
  const auto move = [&](int x, double) {
    const int next = x + static_cast<int>(random.below(81)) - 40;
    return next < 0 || next > 1000 ? x : next;
  };
  int step = 0;
  const auto spent = [&] { return static_cast<double>(step++) / steps; };
  outcome.improvements = anneal(20, value, move, spent, cooling, random);
  return outcome;
}

constexpr Cooling slow{3, 0.01};

TEST(Anneal, FindsTheMinimumBehindOthers) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    const Outcome outcome = annealed(seed, 3000, slow);
    EXPECT_EQ(outcome.improvements.back().state, 618) << seed;
    EXPECT_EQ(outcome.evaluations, 3001) << "the start, and one evaluation per step";
  }
}

TEST(Anneal, ReturnsTheStartAndWhatWasEverBetter) {
  const auto improvements = annealed(1, 500, slow).improvements;
  EXPECT_EQ(improvements.front().state, 20);
  for (std::size_t i = 0; i < improvements.size(); ++i) {
    EXPECT_EQ(improvements[i].value, waves(improvements[i].state));
    if (i > 0) {
      EXPECT_LT(improvements[i].value, improvements[i - 1].value);
    }
  }
}

TEST(Anneal, IsTheSameForTheSameSeed) {
  const auto states = [](unsigned seed) {
    std::vector<int> result;
    for (const auto& one : annealed(seed, 300, slow).improvements) result.push_back(one.state);
    return result;
  };
  EXPECT_EQ(states(7), states(7));
  EXPECT_NE(states(7), states(8));
}

TEST(Anneal, WithoutHeatOnlyDescends) {
  RandomNumbers random(1);
  std::vector<double> taken{9};
  const auto move = [&](double x, double) {
    taken.push_back(x);
    return x + random.uniform() - 0.5;
  };
  int step = 0;
  const auto spent = [&] { return step++ / 100.0; };
  anneal(
      9.0, [](double x) { return x; }, move, spent, Cooling{1e-9, 1e-9}, random);
  for (std::size_t i = 1; i < taken.size(); ++i) EXPECT_LE(taken[i], taken[i - 1]);
}

TEST(Anneal, WithoutABudgetStaysAtTheStart) {
  EXPECT_EQ(annealed(1, 0, slow).improvements.size(), 1u);
}

TEST(RandomNumbersTest, AreInTheirRanges) {
  RandomNumbers random(1);
  std::vector<int> seen(5, 0);
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform();
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 1);
    ++seen.at(random.below(5));
  }
  for (const int count : seen) EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace espalier::internal
