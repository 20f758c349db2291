// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/weighted_matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "matrix/generators.hpp"
#include "scaling/equilibration.hpp"
#include "scaling/graded.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

/// The equilibrated matrix with both triangles, by columns.
class Dense {
 public:
  explicit Dense(const SparseMatrix& a) : n_(a.pattern.n), value_(support::to_dense(a)) {
    const std::vector<double> scale = diagonal_equilibration(a);
    for (Index j = 0; j < n_; ++j) {
      for (Index i = 0; i < n_; ++i) value_[i + Count{j} * n_] *= scale[i] * scale[j];
    }
  }

  double operator()(Index i, Index j) const { return std::abs(value_[i + Count{j} * n_]); }
  bool is_small(Index j) const { return (*this)(j, j) < 0.01; }

 private:
  Index n_;
  std::vector<double> value_;
};

/// Expects that pairs have entries and small diagonal entries, that predecessors have large ones,
/// and that no column has two of these roles.
void expect_relations(const SparseMatrix& a, const MatchedColumns& matched) {
  const Dense b(a);
  std::set<Index> used;
  ASSERT_EQ(std::ssize(matched.partner), a.pattern.n);
  for (Index j = 0; j < a.pattern.n; ++j) {
    const Index i = matched.partner[j];
    EXPECT_EQ(matched.partner[i], j);
    if (i != j) {
      EXPECT_TRUE(b.is_small(i) && b.is_small(j)) << i << ", " << j;
      EXPECT_NE(b(i, j), 0) << i << ", " << j;
    }
    const Index p = matched.predecessor[j];
    if (p < 0) continue;
    EXPECT_EQ(i, j);
    EXPECT_TRUE(used.insert(p).second) << p << " precedes two columns";
    EXPECT_TRUE(b.is_small(j) && !b.is_small(p)) << p << ", " << j;
    EXPECT_NE(b(p, j), 0) << p << ", " << j;
  }
}

/// Returns the columns with small diagonal entries that neither are in a pair nor have a
/// predecessor.
Index uncovered(const SparseMatrix& a, const MatchedColumns& matched) {
  const Dense b(a);
  Index count = 0;
  for (Index j = 0; j < a.pattern.n; ++j) {
    count += b.is_small(j) && matched.partner[j] == j && matched.predecessor[j] < 0 ? 1 : 0;
  }
  return count;
}

TEST(WeightedMatching, RelatesColumnsOfRandomMatrices) {
  Index pairs = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const SparseMatrix a = random_symmetric(30, 0.02 + 0.04 * (seed % 4), seed);
    const MatchedColumns matched = weighted_matching(a);
    expect_relations(a, matched);
    pairs += matched.pairs();
  }
  EXPECT_GT(pairs, 100);
}

TEST(WeightedMatching, RelatesColumnsOfGradedMatrices) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const SparseMatrix a = graded(random_symmetric(30, 0.1, seed), 3, seed);
    expect_relations(a, weighted_matching(a));
    const SparseMatrix wide = graded(a, 140, seed);
    expect_relations(wide, weighted_matching(wide));
  }
}

TEST(WeightedMatching, CoversAllConstraintsOfSaddlePoints) {
  // The pressure of stokes2d is determined up to a constant.
  for (const auto& [spec, most] : {std::pair("stokes2d:12", 1), std::pair("mixed2d:12", 0)}) {
    SCOPED_TRACE(spec);
    const SparseMatrix a = generate_matrix(spec);
    const MatchedColumns matched = weighted_matching(a);
    expect_relations(a, matched);
    EXPECT_LE(uncovered(a, matched), most);
  }
}

TEST(WeightedMatching, PairsColumnsOfSmallDiagonals) {
  // Each constraint is the only one with its first variable, whose diagonal entry is zero.
  const auto a = support::from_entries(
      5,
      {{0, 0, 0}, {1, 1, 2}, {2, 2, 0}, {3, 3, 0}, {4, 4, 0}, {3, 0, 4}, {4, 2, 7}, {4, 1, 1e-6}});
  const MatchedColumns matched = weighted_matching(a);
  EXPECT_EQ(matched.partner, (List{3, 1, 4, 0, 2}));
  EXPECT_EQ(matched.predecessor, (List{-1, -1, -1, -1, -1}));
  EXPECT_EQ(matched.pairs(), 2);
}

TEST(WeightedMatching, EliminatesALargeDiagonalBeforeASmallOne) {
  const auto a = support::from_entries(2, {{0, 0, 0}, {1, 0, 1}, {1, 1, 1}});
  const MatchedColumns matched = weighted_matching(a);
  EXPECT_EQ(matched.partner, (List{0, 1}));
  EXPECT_EQ(matched.predecessor, (List{1, -1}));
}

TEST(WeightedMatching, DividesChains) {
  // A path of columns with zero diagonal entries that begins with a large one.
  for (const Index n : {2, 3, 4, 5, 6}) {
    SCOPED_TRACE(n);
    std::vector<support::Entry> entries{{0, 0, 1}};
    for (Index j = 1; j < n; ++j) {
      entries.push_back({j, j, 0});
      entries.push_back({j, j - 1, 1});
    }
    const auto a = support::from_entries(n, entries);
    const MatchedColumns matched = weighted_matching(a);
    expect_relations(a, matched);
    EXPECT_EQ(matched.pairs(), (n - 1) / 2);
    EXPECT_EQ(matched.predecessor[1], n % 2 == 0 ? 0 : -1);
    EXPECT_EQ(uncovered(a, matched), 0);
  }
}

TEST(WeightedMatching, LeavesTwoLargeDiagonalsAlone) {
  const auto a = support::from_entries(2, {{0, 0, 0.5}, {1, 0, 1}, {1, 1, -0.5}});
  const MatchedColumns matched = weighted_matching(a);
  EXPECT_EQ(matched.partner, (List{0, 1}));
  EXPECT_EQ(matched.predecessor, (List{-1, -1}));
}

TEST(WeightedMatching, PairsNoColumnsOfADominantDiagonal) {
  for (const auto& [name, matrix] : support::small_matrices()) {
    SCOPED_TRACE(name);
    if (name.find("random") == std::string::npos) continue;
    EXPECT_EQ(weighted_matching(matrix).pairs(), 0);
  }
}

TEST(WeightedMatching, LeavesColumnsOfSingularMatricesSingle) {
  // An arrow with a zero diagonal has rank 2.
  std::vector<support::Entry> entries{{0, 0, 0}};
  for (Index i = 1; i < 6; ++i) {
    entries.push_back({i, i, 0});
    entries.push_back({i, 0, 10.0 * i});
  }
  const auto arrow = support::from_entries(6, entries);
  const MatchedColumns matched = weighted_matching(arrow);
  expect_relations(arrow, matched);
  EXPECT_EQ(matched.pairs(), 1);
  EXPECT_EQ(uncovered(arrow, matched), 4);
}

TEST(WeightedMatching, RelatesColumnsOfRandomSingularMatrices) {
  Index singular = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    SparseMatrix a = random_symmetric(12, 0.1, seed);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
      if ((k + seed) % 3 == 0) a.value[k] = 0;
    }
    const MatchedColumns matched = weighted_matching(a);
    expect_relations(a, matched);
    singular += uncovered(a, matched) > 0 ? 1 : 0;
  }
  EXPECT_GT(singular, 50);
}

TEST(WeightedMatching, TakesSmallAndEmptyMatrices) {
  EXPECT_TRUE(weighted_matching(SparseMatrix{}).partner.empty());
  EXPECT_EQ(weighted_matching(support::from_entries(1, {{0, 0, -16}})).partner, List{0});
  const auto zero = support::from_entries(2, {{0, 0, 0}, {1, 1, 0}});
  EXPECT_EQ(weighted_matching(zero).partner, (List{0, 1}));
}

}  // namespace
}  // namespace espalier::internal
