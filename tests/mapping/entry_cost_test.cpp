// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/entry_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <utility>
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
  std::vector<Index> new_of(n);
  std::iota(new_of.begin(), new_of.end(), 0);
  return new_of;
}

std::vector<Index> shuffled(Index n) {
  std::vector<Index> new_of = as_they_are(n);
  std::shuffle(new_of.begin(), new_of.end(), std::mt19937(1));
  return new_of;
}

TEST(LinesAColumn, AreAnEighthOfTheEntriesWhereBothNumberingsAgree) {
  EXPECT_NEAR(lines_a_column(band(5000, 3), as_they_are(5000)), 4 / 8.0, 0.02);
  std::vector<Index> backwards = as_they_are(5000);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_NEAR(lines_a_column(band(5000, 3), backwards), 4 / 8.0, 0.02);
}

/// The same from the other side: for every window of columns of L, all lines that it reads.
double lines_read(const LowerPattern& pattern, std::span<const Index> new_of) {
  std::set<std::pair<Index, Count>> lines;  // of a window
  for (Index j = 0; j < pattern.n; ++j) {
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      lines.emplace(std::min(new_of[j], new_of[pattern.row[k]]) / 128, k / 8);
    }
  }
  return static_cast<double>(lines.size()) / pattern.n;
}

TEST(LinesAColumn, CountThoseOfNeighboursThatAreFarApart) {
  for (const Index below : {1, 3, 8}) {
    const LowerPattern pattern = band(30000, below);
    const std::vector<Index> new_of = shuffled(30000);
    const double all = lines_read(pattern, new_of);
    EXPECT_GT(all, 2.5 * (below + 1) / 8) << "many times what lies in a row";
    EXPECT_NEAR(lines_a_column(pattern, new_of), all, 0.1 * all);
  }
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
  EXPECT_NEAR(near.column, 4e-9, 2e-9);
  const KernelCost apart = cost_for(band(100000, 3), shuffled(100000), table);
  const double others = lines_read(band(100000, 3), shuffled(100000)) - 0.5;
  EXPECT_NEAR(apart.column, 4e-9 + others * 1e-7, 0.1e-7);
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
