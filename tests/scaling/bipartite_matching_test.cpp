// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/bipartite_matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "matrix/generators.hpp"
#include "scaling/graded.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-9;

/// Returns log2|a_ij| of all entries, by columns; -infinity for zeros.
std::vector<double> dense_logs(const SparseMatrix& a) {
  std::vector<double> logs = support::to_dense(a);
  for (double& value : logs) value = std::log2(std::abs(value));
  return logs;
}

std::vector<double> unscaled(const SparseMatrix& a) {
  return std::vector<double>(static_cast<std::size_t>(a.pattern.n), 0);
}

/// Number of entries and sum of their logarithms.
struct Size {
  Index matched = 0;
  double log_product = 0;
};

/// Returns the largest matching, and among these the one with the largest product, by trying all
/// permutations.
Size brute_force(const SparseMatrix& a) {
  const Index n = a.pattern.n;
  const std::vector<double> logs = dense_logs(a);
  std::vector<Index> row(static_cast<std::size_t>(n));
  std::iota(row.begin(), row.end(), 0);
  Size best{0, -infinity};
  do {
    Size size;
    for (Index j = 0; j < n; ++j) {
      const double entry = logs[row[j] + Count{j} * n];
      if (entry == -infinity) continue;
      ++size.matched;
      size.log_product += entry;
    }
    if (size.matched > best.matched ||
        (size.matched == best.matched && size.log_product > best.log_product)) {
      best = size;
    }
  } while (std::next_permutation(row.begin(), row.end()));
  return best;
}

Size size_of(const SparseMatrix& a, const BipartiteMatching& matching) {
  const std::vector<double> logs = dense_logs(a);
  Size size;
  for (Index j = 0; j < a.pattern.n; ++j) {
    if (matching.row_of[j] < 0) continue;
    ++size.matched;
    size.log_product += logs[matching.row_of[j] + Count{j} * a.pattern.n];
  }
  return size;
}

/// Expects a matching of all columns whose dual variables prove that its product is the largest.
void expect_best(const SparseMatrix& a) {
  const BipartiteMatching matching = bipartite_matching(a, unscaled(a));
  ASSERT_EQ(matching.matched, a.pattern.n);
  double largest = -infinity, smallest_matched = infinity;
  const auto take = [&](Index i, Index j, double value) {
    const double log = std::log2(std::abs(value)) + matching.row_log[i] + matching.column_log[j];
    largest = std::max(largest, log);
    if (matching.row_of[j] == i) smallest_matched = std::min(smallest_matched, log);
  };
  for_each_stored(a, [&](Index i, Index j, double value) {
    take(i, j, value);
    take(j, i, value);
  });
  EXPECT_LE(largest, rounding);
  EXPECT_GE(smallest_matched, -rounding);
}

TEST(BipartiteMatching, HasTheLargestProduct) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Index n = 1 + static_cast<Index>(seed % 7);
    const SparseMatrix a = random_symmetric(n, 0.1 + 0.2 * (seed % 5), seed);
    const Size best = brute_force(a);
    const BipartiteMatching matching = bipartite_matching(a, unscaled(a));
    EXPECT_EQ(matching.matched, best.matched);
    EXPECT_EQ(size_of(a, matching).matched, best.matched);
    if (best.matched == n) {
      EXPECT_NEAR(size_of(a, matching).log_product, best.log_product, rounding);
    }
  }
}

TEST(BipartiteMatching, ProvesItsProductByDualVariables) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    expect_best(graded(random_symmetric(40, 0.05 + 0.05 * (seed % 3), seed), 150, seed));
  }
  expect_best(generate_matrix("stokes2d:9"));
}

TEST(BipartiteMatching, UsesOnlyRowsThatTakePart) {
  const auto a = support::from_entries(
      4, {{0, 0, 1}, {1, 0, 9}, {1, 1, 0}, {2, 0, 2}, {2, 2, 0}, {3, 1, 5}, {3, 3, 0}});
  const BipartiteMatching matching = bipartite_matching(a, unscaled(a), {1, 0, 1, 0});
  EXPECT_EQ(matching.row_of, (std::vector<Index>{2, -1, 0, -1}));
  EXPECT_EQ(matching.matched, 2);
}

/// Returns an arrow whose row `head` is full, with these entries on the diagonal and in the head.
template <typename Diagonal, typename Head>
SparseMatrix arrow(Index n, Index head, double corner, Diagonal diagonal, Head in_head) {
  std::vector<support::Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, i == head ? corner : diagonal(i)});
    if (i != head) entries.push_back({i, head, in_head(i)});
  }
  return support::from_entries(n, entries);
}

// Quadratic time would be minutes in the two following tests.
TEST(BipartiteMatching, TakesLargeArrows) {
  const Index n = 100'000;
  const auto ascending = [](Index i) { return std::exp2(-900 + 9e-3 * i); };
  const auto descending = [](Index i) { return std::exp2(-9e-3 * i); };
  const auto irregular = [](Index i) {
    return std::exp2(-static_cast<double>(Count{i} * 7919 % 1000));
  };
  const auto nearly_equal = [](Index i) { return 1.0 + i % 3; };
  for (const Index head : {0, n / 2, n - 1}) {
    SCOPED_TRACE(head);
    expect_best(arrow(n, head, 0, descending, nearly_equal));
    expect_best(arrow(n, head, 5, ascending, nearly_equal));
    expect_best(arrow(n, head, 1e-200, irregular, nearly_equal));
    expect_best(arrow(n, head, 5, irregular, descending));
  }
}

TEST(BipartiteMatching, TakesLargeSaddlePoints) {
  for (const char* spec : {"mixed2d:200", "stokes2d:100"}) {
    SCOPED_TRACE(spec);
    expect_best(generate_matrix(spec));
  }
}

TEST(BipartiteMatching, TakesLargeSingularArrows) {
  const Index n = 100'000;
  const auto a = arrow(
      n, n - 1, 0, [](Index i) { return i % 2 == 0 ? 0.0 : 1e-5; },
      [](Index i) { return 1.0 + i % 5; });
  EXPECT_EQ(bipartite_matching(a, unscaled(a)).matched, n / 2 + 1);
}

}  // namespace
}  // namespace espalier::internal
