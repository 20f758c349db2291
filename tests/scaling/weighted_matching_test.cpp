// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/weighted_matching.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scaling/graded.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

constexpr double tolerance = 1e-9;

void expect_pairs_of_entries(const SparseMatrix& a, const WeightedMatching& matching) {
  const std::vector<double> dense = support::to_dense(a);
  for (Index j = 0; j < a.pattern.n; ++j) {
    const Index i = matching.columns.partner[j];
    EXPECT_EQ(matching.columns.partner[i], j);
    if (i == j) continue;
    EXPECT_NE(dense[i + Count{j} * a.pattern.n], 0);
  }
}

/// Expects that no scaled entry exceeds 1, and that those of pairs and predecessors are 1.
void expect_scaled(const SparseMatrix& a, const WeightedMatching& matching) {
  ASSERT_EQ(std::ssize(matching.scale), a.pattern.n);
  for_each_stored(a, [&](Index i, Index j, double value) {
    const double scaled = std::abs(value) * (matching.scale[i] * matching.scale[j]);
    EXPECT_LE(scaled, 1 + tolerance) << i << ", " << j;
    const auto& [partner, predecessor] = matching.columns;
    const bool matched = partner[i] == j || predecessor[i] == j || predecessor[j] == i;
    if (i == j || !matched) return;
    EXPECT_NEAR(scaled, 1, tolerance) << i << ", " << j;
  });
}

TEST(WeightedMatching, ScalesMatchedEntriesToOne) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const SparseMatrix a = random_symmetric(30, 0.02 + 0.04 * (seed % 4), seed);
    const WeightedMatching matching = weighted_matching(a);
    expect_pairs_of_entries(a, matching);
    expect_scaled(a, matching);
  }
}

TEST(WeightedMatching, ScalesGradedMatrices) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const SparseMatrix a = graded(random_symmetric(30, 0.1, seed), 3, seed);
    expect_scaled(a, weighted_matching(a));
    const SparseMatrix wide = graded(a, 140, seed);
    expect_pairs_of_entries(wide, weighted_matching(wide));
  }
}

TEST(WeightedMatching, PairsColumnsOfSmallDiagonals) {
  // Each constraint is the only one with its first variable, whose diagonal entry is small.
  const auto a = support::from_entries(5, {{0, 0, 1e-4},
                                           {1, 1, 2},
                                           {2, 2, 0},
                                           {3, 3, 0},
                                           {4, 4, 0},
                                           {3, 0, 4},
                                           {4, 2, 7},
                                           {4, 1, 1e-6}});
  const WeightedMatching matching = weighted_matching(a);
  EXPECT_EQ(matching.columns.partner, (std::vector<Index>{3, 1, 4, 0, 2}));
  EXPECT_EQ(matching.columns.predecessor, (std::vector<Index>{-1, -1, -1, -1, -1}));
  EXPECT_EQ(matching.columns.pairs(), 2);
  EXPECT_EQ(matching.unmatched, 0);
  expect_scaled(a, matching);
}

TEST(WeightedMatching, EliminatesALargeDiagonalBeforeASmallOne) {
  const auto a = support::from_entries(2, {{0, 0, 0}, {1, 0, 1}, {1, 1, 1}});
  const WeightedMatching matching = weighted_matching(a);
  EXPECT_EQ(matching.columns.partner, (std::vector<Index>{0, 1}));
  EXPECT_EQ(matching.columns.predecessor, (std::vector<Index>{1, -1}));
}

TEST(WeightedMatching, LeavesTwoLargeDiagonalsAlone) {
  const auto a = support::from_entries(2, {{0, 0, 0.5}, {1, 0, 1}, {1, 1, -0.5}});
  const WeightedMatching matching = weighted_matching(a);
  EXPECT_EQ(matching.columns.partner, (std::vector<Index>{0, 1}));
  EXPECT_EQ(matching.columns.predecessor, (std::vector<Index>{-1, -1}));
}

TEST(WeightedMatching, PairsNoColumnsOfADominantDiagonal) {
  for (const auto& [name, matrix] : support::small_matrices()) {
    SCOPED_TRACE(name);
    if (name.find("random") == std::string::npos) continue;
    EXPECT_EQ(weighted_matching(matrix).columns.pairs(), 0);
  }
}

TEST(WeightedMatching, FindsStructurallySingularMatrices) {
  // An arrow with a zero diagonal has rank 2.
  std::vector<support::Entry> entries{{0, 0, 0}};
  for (Index i = 1; i < 6; ++i) {
    entries.push_back({i, i, 0});
    entries.push_back({i, 0, 10.0 * i});
  }
  const auto arrow = support::from_entries(6, entries);
  const WeightedMatching matching = weighted_matching(arrow);
  EXPECT_EQ(matching.unmatched, 4);
  EXPECT_EQ(matching.columns.pairs(), 1);
  expect_scaled(arrow, matching);
  const std::vector<double> largest = largest_scaled(arrow, matching.scale);
  for (const double entry : largest) EXPECT_NEAR(entry, 1, tolerance);
}

TEST(WeightedMatching, ScalesRandomSingularMatrices) {
  Index singular = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    SparseMatrix a = random_symmetric(12, 0.1, seed);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
      if ((k + seed) % 3 == 0) a.value[k] = 0;
    }
    const WeightedMatching matching = weighted_matching(a);
    singular += matching.unmatched > 0 ? 1 : 0;
    expect_pairs_of_entries(a, matching);
    expect_scaled(a, matching);
  }
  EXPECT_GT(singular, 50);
}

TEST(WeightedMatching, TakesSmallAndEmptyMatrices) {
  const WeightedMatching empty = weighted_matching(SparseMatrix{});
  EXPECT_TRUE(empty.columns.partner.empty());
  EXPECT_TRUE(empty.scale.empty());

  const WeightedMatching one = weighted_matching(support::from_entries(1, {{0, 0, -16}}));
  EXPECT_EQ(one.columns.partner, std::vector<Index>{0});
  EXPECT_EQ(one.scale, std::vector<double>{0.25});

  const WeightedMatching zero = weighted_matching(support::from_entries(2, {{0, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(zero.unmatched, 2);
  EXPECT_EQ(zero.scale, (std::vector<double>{1, 1}));
}

TEST(WeightedMatching, DiscardsAScalingOfTooLargeRange) {
  // Each step of the chain asks for a larger scale.
  std::vector<support::Entry> entries;
  const Index n = 12;
  for (Index j = 0; j < n; ++j) {
    entries.push_back({j, j, j == 0 ? 1.0 : 0.0});
    if (j + 1 < n) entries.push_back({j + 1, j, j % 2 == 0 ? 1e-8 : 1.0});
  }
  const auto a = support::from_entries(n, entries);
  const WeightedMatching matching = weighted_matching(a);
  EXPECT_TRUE(matching.scale.empty());
  EXPECT_EQ(matching.unmatched, 0);
  EXPECT_EQ(matching.columns.predecessor[1], 0);
  EXPECT_EQ(matching.columns.pairs(), n / 2 - 1);
  expect_pairs_of_entries(a, matching);
}

}  // namespace
}  // namespace espalier::internal
