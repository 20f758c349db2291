// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "espalier/mpi.hpp"
#include "ranks/parts.hpp"
#include "solver/data.hpp"
#include "support/expect.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::Triplets;

class DistributedMatrixTest : public testing::Test {
 protected:
  Ranks ranks_{MPI_COMM_WORLD, RuntimeOptions{1, "", {}}};

  Triplets part_of(const SparseMatrix& a) const {
    return support::triplets_of(a, ranks_.rank(), ranks_.size());
  }

  DistributedMatrix matrix(Index n, const Triplets& part) const {
    return {ranks_, n, part.row, part.column, part.value};
  }

  template <typename T>
  const T* roots(const T& value) const {
    return ranks_.is_root() ? &value : nullptr;
  }
};

TEST_F(DistributedMatrixTest, HasItsPatternOnTheRoot) {
  for (const support::NamedMatrix& named : support::solver_problems()) {
    SCOPED_TRACE(named.name);
    const LowerPattern& pattern = named.matrix.pattern;
    const DistributedMatrix a = matrix(pattern.n, part_of(named.matrix));
    EXPECT_EQ(a.size(), pattern.n);
    ASSERT_EQ(a.pattern() != nullptr, ranks_.is_root());
    const std::vector<double> sums = a.row_sums(ranks_);
    if (!ranks_.is_root()) continue;
    EXPECT_TRUE(std::ranges::equal(a.pattern()->column_begin(), pattern.column_begin));
    EXPECT_TRUE(std::ranges::equal(a.pattern()->rows(), pattern.row));
    const Matrix whole = support::to_matrix(named.matrix);
    const std::vector<double> expected = whole.multiply(std::vector<double>(sums.size(), 1.0));
    const double largest =
        std::ranges::max(named.matrix.value, {}, [](double value) { return std::abs(value); });
    for (std::size_t i = 0; i < sums.size(); ++i) {
      ASSERT_NEAR(sums[i], expected[i], 1e-12 * std::abs(largest));
    }
  }
}

TEST_F(DistributedMatrixTest, IsFactoredAsOneOfTheRoot) {
  for (const support::NamedMatrix& named : support::solver_problems()) {
    SCOPED_TRACE(named.name);
    const Matrix whole = support::to_matrix(named.matrix);
    const Analysis analysis(whole);
    std::vector<double> b(static_cast<std::size_t>(whole.size()));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1.0 + static_cast<double>(i % 7);
    if (!ranks_.is_root()) b.clear();
    DistributedFactor factor(ranks_, roots(analysis));
    ASSERT_TRUE(factor.factorize(roots(whole)).ok());
    const Solution expected = factor.solve(b);
    const DistributedMatrix a = matrix(whole.size(), part_of(named.matrix));
    SparseMatrix doubled = named.matrix;
    for (double& value : doubled.value) value *= 2;
    ASSERT_TRUE(factor.factorize(matrix(whole.size(), part_of(doubled))).ok());
    const Solution half = factor.solve(b);
    for (int again = 0; again < 2; ++again) {
      ASSERT_TRUE(factor.factorize(a).ok());
      const Solution found = factor.solve(b);
      EXPECT_LT(found.backward_error, 1e-13);
      ASSERT_EQ(found.x.size(), expected.x.size());
      for (std::size_t i = 0; i < found.x.size(); ++i) {
        const double slack = 1e-6 * std::abs(expected.x[i]) + 1e-9;
        ASSERT_NEAR(found.x[i], expected.x[i], slack);
        ASSERT_NEAR(2 * half.x[i], expected.x[i], slack);
      }
    }
  }
}

TEST_F(DistributedMatrixTest, IsGivenUpOrKept) {
  const SparseMatrix a = support::random_dominant(200, 2, 5);
  const Index n = a.pattern.n;
  const Analysis analysis(support::to_matrix(a));
  FactorOptions options;
  options.deterministic = true;
  DistributedFactor factor(ranks_, roots(analysis), options);
  const std::vector<double> b(ranks_.is_root() ? static_cast<std::size_t>(n) : 0, 1.0);
  const DistributedMatrix kept = matrix(n, part_of(a));
  ASSERT_TRUE(factor.factorize(kept).ok());
  const Solution expected = factor.solve(b);
  for (int again = 0; again < 2; ++again) {
    DistributedMatrix given = matrix(n, part_of(a));
    const std::weak_ptr data = Internals::shared(given);
    ASSERT_TRUE(factor.factorize(std::move(given)).ok());
    EXPECT_TRUE(data.expired());
    std::vector<double> own = b;
    EXPECT_EQ(factor.solve(std::move(own), 1, {}).x, expected.x);
    EXPECT_TRUE(own.empty());  // NOLINT: the moved-from state is tested
    ASSERT_TRUE(factor.factorize(kept).ok());
    EXPECT_EQ(factor.solve(b).x, expected.x);
  }
}

TEST_F(DistributedMatrixTest, FindsTheFirstBadColumn) {
  const SparseMatrix good = support::random_dominant(200, 2, 5);
  for (const Index column : {0, 57, 199}) {
    const SparseMatrix bad = support::with_bad_column(good, column);
    const Analysis analysis(support::to_matrix(bad));
    DistributedFactor factor(ranks_, roots(analysis));
    EXPECT_EQ(factor.factorize(matrix(200, part_of(bad))).bad_column, column);
  }
}

TEST_F(DistributedMatrixTest, RefusesPartsThatDoNotFitOnAllRanks) {
  const SparseMatrix a = support::tridiagonal(30);
  const Triplets part = part_of(a);
  expect_error<InputError>([&] { matrix(part.row.empty() ? 30 : 20, part); },
                           {"row or column", "20"});
  if (ranks_.size() == 1) return;
  const Index last = ranks_.size() - 1;
  expect_error<InputError>([&] { matrix(ranks_.rank() == last ? 31 : 30, part); },
                           {"part " + std::to_string(last), "31", "30"});
  Triplets uneven = part;
  if (ranks_.rank() == last) uneven.value.push_back(1);
  expect_error<InputError>([&] { matrix(30, uneven); }, {"differ in number"});
  Triplets both = part;
  if (ranks_.rank() == last) both.add(0, 0, 1.0);
  expect_error<InputError>([&] { matrix(30, both); },
                           {"part " + std::to_string(last), "column 1 ", "part 0"});
  Triplets mirror = part;  // (3, 2) counted from 0 is in column 2, of the first rank
  if (ranks_.rank() == 1) mirror.add(2, 3, 1.0);
  expect_error<InputError>([&] { matrix(30, mirror); }, {"part 1", "(4, 3)", "part 0"});
  Triplets holes;
  for (std::size_t k = 0; k < part.row.size(); ++k) {
    if (part.row[k] != 4 || part.column[k] != 4)
      holes.add(part.row[k], part.column[k], part.value[k]);
  }
  expect_error<InputError>([&] { matrix(30, holes); }, {"(5, 5)"});
  const Analysis analysis(support::to_matrix(support::tridiagonal(31)));
  DistributedFactor other(ranks_, roots(analysis));
  EXPECT_THROW(other.factorize(matrix(30, part)), UsageError);
}

}  // namespace
}  // namespace espalier::internal
