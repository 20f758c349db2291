// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/bipartite_matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace espalier::internal {
namespace {

/// Number of matched columns and sum of their costs.
struct Size {
  Index matched = 0;
  double cost = 0;
};

/// Returns columns from their entries in any order.
CostColumns columns_of(Index rows, std::vector<std::vector<CostEntry>> entries) {
  CostColumns columns;
  columns.rows = rows;
  for (std::vector<CostEntry>& column : entries) {
    std::ranges::sort(column, {}, &CostEntry::cost);
    columns.entry.insert(columns.entry.end(), column.begin(), column.end());
    columns.begin.push_back(std::ssize(columns.entry));
  }
  return columns;
}

CostColumns random_columns(Index rows, Index columns, double density, int costs, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::vector<CostEntry>> entries(static_cast<std::size_t>(columns));
  for (auto& column : entries) {
    for (Index i = 0; i < rows; ++i) {
      if (uniform(engine) > density) continue;
      column.push_back({i, static_cast<float>(static_cast<int>(engine() % costs) - costs / 3)});
    }
  }
  return columns_of(rows, std::move(entries));
}

/// Returns the best size of a matching of the columns from j on, by trying all of them.
Size brute_force(const CostColumns& columns, Index j, std::vector<char>& taken) {
  if (j == columns.columns()) return {};
  Size best = brute_force(columns, j + 1, taken);
  for (const CostEntry& e : columns.of(j)) {
    if (taken[e.row]) continue;
    taken[e.row] = 1;
    Size size = brute_force(columns, j + 1, taken);
    taken[e.row] = 0;
    ++size.matched;
    size.cost += e.cost;
    if (size.matched > best.matched || (size.matched == best.matched && size.cost < best.cost)) {
      best = size;
    }
  }
  return best;
}

/// Returns the size of a matching. Expects that it has entries of the columns, and no row twice.
Size size_of(const CostColumns& columns, const std::vector<Index>& row_of) {
  Size size;
  std::vector<char> taken(static_cast<std::size_t>(columns.rows), 0);
  EXPECT_EQ(std::ssize(row_of), columns.columns());
  for (Index j = 0; j < columns.columns(); ++j) {
    if (row_of[j] < 0) continue;
    EXPECT_EQ(taken[row_of[j]], 0);
    taken[row_of[j]] = 1;
    const auto entries = columns.of(j);
    const auto entry = std::ranges::find(entries, row_of[j], &CostEntry::row);
    if (entry == entries.end()) {
      ADD_FAILURE() << "column " << j << " has no entry in row " << row_of[j];
      continue;
    }
    ++size.matched;
    size.cost += entry->cost;
  }
  return size;
}

TEST(BipartiteMatching, HasTheLowestCost) {
  Index perfect = 0, partial = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const Index count = 1 + static_cast<Index>(seed % 6);
    const Index rows = count + static_cast<Index>(seed % 3);
    const CostColumns columns =
        random_columns(rows, count, 0.2 + 0.2 * (seed % 4), seed % 2 == 0 ? 4 : 1000, seed);
    std::vector<char> taken(static_cast<std::size_t>(rows), 0);
    const Size best = brute_force(columns, 0, taken);
    const Size found = size_of(columns, bipartite_matching(columns));
    EXPECT_EQ(found.matched, best.matched);
    const bool matches_all = best.matched == count;
    if (matches_all) {
      EXPECT_EQ(found.cost, best.cost);
    }
    ++(matches_all ? perfect : partial);
  }
  EXPECT_GT(perfect, 100);
  EXPECT_GT(partial, 100);
}

TEST(BipartiteMatching, TakesNoColumns) {
  EXPECT_TRUE(bipartite_matching(columns_of(0, {})).empty());
  EXPECT_TRUE(bipartite_matching(columns_of(3, {})).empty());
  EXPECT_EQ(bipartite_matching(columns_of(1, {{}, {{0, 1.0F}}})), (std::vector<Index>{-1, 0}));
}

/// Returns n columns. Each has an entry in its own row, and one in row `head`. All entries of
/// column `head` exist.
template <typename Diagonal, typename Head>
CostColumns arrow(Index n, Index head, Diagonal diagonal, Head in_head) {
  std::vector<std::vector<CostEntry>> entries(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    entries[i].push_back({i, diagonal(i)});
    if (i == head) continue;
    entries[i].push_back({head, in_head(i)});
    entries[head].push_back({i, in_head(i)});
  }
  return columns_of(n, std::move(entries));
}

// Quadratic time would be minutes in the following tests.
TEST(BipartiteMatching, TakesLargeArrows) {
  const Index n = 100'000;
  const auto ascending = [](Index i) { return 900 - 9e-3F * static_cast<float>(i); };
  const auto descending = [](Index i) { return 9e-3F * static_cast<float>(i); };
  const auto irregular = [](Index i) { return static_cast<float>(Count{i} * 7919 % 1000); };
  const auto nearly_equal = [](Index i) { return static_cast<float>(i % 3); };
  for (const Index head : {0, n / 2, n - 1}) {
    SCOPED_TRACE(head);
    for (const CostColumns& columns :
         {arrow(n, head, descending, nearly_equal), arrow(n, head, ascending, nearly_equal),
          arrow(n, head, irregular, nearly_equal), arrow(n, head, irregular, descending)}) {
      EXPECT_EQ(size_of(columns, bipartite_matching(columns)).matched, n);
    }
  }
}

TEST(BipartiteMatching, TakesLargeSingularArrows) {
  const Index n = 100'000;
  std::vector<std::vector<CostEntry>> entries(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    entries[i].push_back({n, static_cast<float>(i % 5)});
    if (i % 2 != 0) entries[i].push_back({i, 16});
  }
  const CostColumns columns = columns_of(n + 1, std::move(entries));
  EXPECT_EQ(size_of(columns, bipartite_matching(columns)).matched, n / 2 + 1);
}

TEST(BipartiteMatching, TakesLargeConstraints) {
  // Constraint j has the variables 2 j, 2 j + 2 and 2 j + 4, and two in common with the next one.
  const Index n = 100'000;
  std::vector<std::vector<CostEntry>> entries(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) {
    for (const Index d : {0, 2, 4}) {
      const Index row = (2 * j + d) % (2 * n);
      entries[j].push_back({row, static_cast<float>(Count{row} * 7919 % 13)});
    }
  }
  const CostColumns columns = columns_of(2 * n, std::move(entries));
  EXPECT_EQ(size_of(columns, bipartite_matching(columns)).matched, n);
}

}  // namespace
}  // namespace espalier::internal
