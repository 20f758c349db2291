// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/entry_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace espalier {
namespace {

LowerPattern band(Index n, Index below) {
  LowerPattern pattern;
  pattern.n = n;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < std::min(n, j + below + 1); ++i) pattern.row.push_back(i);
    pattern.column_begin.push_back(std::ssize(pattern.row));
  }
  return pattern;
}

std::vector<Index> as_they_are(Index n) {
  std::vector<Index> old_of(n);
  std::iota(old_of.begin(), old_of.end(), 0);
  return old_of;
}

std::vector<Index> shuffled(Index n) {
  std::vector<Index> old_of = as_they_are(n);
  std::shuffle(old_of.begin(), old_of.end(), std::mt19937(1));
  return old_of;
}

TEST(LinesAColumn, AreAnEighthOfTheEntriesWhereBothNumberingsAgree) {
  EXPECT_NEAR(lines_a_column(band(5000, 3), as_they_are(5000)), 4 / 8.0, 0.01);
  std::vector<Index> backwards = as_they_are(5000);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_NEAR(lines_a_column(band(5000, 3), backwards), 4 / 8.0, 0.01);
}

TEST(LinesAColumn, AreThoseOfEachColumnWhereTheNumberingIsRandom) {
  // Four entries that begin at a multiple of four never straddle two lines.
  EXPECT_NEAR(lines_a_column(band(100000, 3), shuffled(100000)), 1.0, 0.02);
  // Nine entries in a row always do.
  EXPECT_NEAR(lines_a_column(band(100000, 8), shuffled(100000)), 2.0, 0.05);
}

TEST(LinesAColumn, OfSmallOrEmptyMatricesAreNotSampled) {
  EXPECT_DOUBLE_EQ(lines_a_column(band(8, 0), shuffled(8)), 1 / 8.0);
  EXPECT_EQ(lines_a_column(LowerPattern{}, {}), 0);
}

TEST(CostFor, TakesTheEntriesOfAMeanColumn) {
  auto table = std::make_shared<CostTable>();
  table->take = 1e-9;
  table->line = 1e-7;
  const KernelCost near = cost_for(band(5000, 3), as_they_are(5000), table);
  EXPECT_NEAR(near.column, 4e-9, 1e-9);
  const KernelCost apart = cost_for(band(100000, 3), shuffled(100000), table);
  EXPECT_NEAR(apart.column, 4e-9 + 0.5e-7, 0.2e-8);
  EXPECT_EQ(apart.measured, table);
}

TEST(CostFor, WithoutATableGoesByRulesOfThumb) {
  const KernelCost rules;
  const KernelCost cost = cost_for(band(500, 3), as_they_are(500), nullptr);
  EXPECT_EQ(cost.measured, nullptr);
  EXPECT_NEAR(cost.column, 4 * rules.taken, 0.1 * rules.taken);
  EXPECT_EQ(rules.column, 0);
}

}  // namespace
}  // namespace espalier
