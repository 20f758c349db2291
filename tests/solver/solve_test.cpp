// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solver/sample_solver.hpp"
#include "support/dense_cholesky.hpp"
#include "support/expect.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::analysis_of;
using support::to_matrix;
using support::with;

/// Returns max|b - A x| / (norm(A) max|x| + max|b|) of the worst column, computed from all n^2
/// entries in extended precision.
double backward_error_of(const SparseMatrix& a, std::span<const double> x,
                         std::span<const double> b, Index count) {
  const Index n = a.pattern.n;
  const std::vector<double> dense = support::to_dense(a);
  long double worst = 0;
  for (Index r = 0; r < count; ++r) {
    long double residual = 0, norm = 0, size_x = 0, size_b = 0;
    for (Index i = 0; i < n; ++i) {
      const std::size_t at = i + static_cast<std::size_t>(r) * n;
      long double sum = b[at], row = 0;
      for (Index j = 0; j < n; ++j) {
        const long double entry = dense[i + static_cast<std::size_t>(j) * n];
        sum -= entry * x[j + static_cast<std::size_t>(r) * n];
        row += std::fabs(entry);
      }
      residual = std::max(residual, std::fabs(sum));
      norm = std::max(norm, row);
      size_x = std::max<long double>(size_x, std::fabs(x[at]));
      size_b = std::max<long double>(size_b, std::fabs(b[at]));
    }
    worst = std::max(worst, residual / (norm * size_x + size_b));
  }
  return static_cast<double>(worst);
}

class SolveByOrdering : public testing::TestWithParam<std::string> {};

TEST_P(SolveByOrdering, GivesTheDenseSolutionOfEveryProblem) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  for (const auto& problem : support::small_matrices()) {
    SCOPED_TRACE(problem.name);
    const Index n = problem.matrix.pattern.n;
    const auto a = support::permuted(problem.matrix, Permutation::identity(n));
    const auto l = support::dense_cholesky(a);
    const Matrix matrix = to_matrix(problem.matrix);
    const Analysis analysis = analysis_of(matrix, GetParam());
    const std::vector<double> b = support::random_vector(n, 6);
    const std::vector<double> expected = support::dense_solve(l, b);
    for (const Granularity granularity : {Granularity::automatic, Granularity::block}) {
      Factor factor(runtime, analysis, with(granularity));
      ASSERT_TRUE(factor.factorize(matrix).ok());
      const Solution solution = factor.solve(b);
      EXPECT_TRUE(support::close(solution.x, expected, n, support::condition(a, l)));
      EXPECT_NEAR(solution.backward_error, backward_error_of(problem.matrix, solution.x, b, 1),
                  support::tolerance(n));
      EXPECT_LE(solution.backward_error, support::good);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orderings, SolveByOrdering, testing::ValuesIn(support::ordering_names()),
                         [](const auto& info) { return info.param; });

/// The larger problem is large enough for solves that consist of tasks.
class SolveOfManyVectors : public testing::TestWithParam<const char*> {};

TEST_P(SolveOfManyVectors, GivesWhatEachAloneGives) {
  const Matrix matrix = Matrix::load(GetParam());
  const auto n = static_cast<std::size_t>(matrix.size());
  const Analysis analysis(matrix);
  for (const Index workers : {1, 2}) {
    const Runtime runtime(RuntimeOptions{workers, "prio"});
    Factor factor(runtime, analysis);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    const std::vector<double> b = support::random_vector(130 * n, 8);
    std::vector<double> alone;
    for (Index r = 0; r < 130; ++r) {
      const Solution one = factor.solve(std::span(b).subspan(r * n, n));
      alone.insert(alone.end(), one.x.begin(), one.x.end());
    }
    for (const Index count : {1, 2, 63, 64, 65, 130}) {
      const Solution all = factor.solve(std::span(b).first(count * n), count);
      EXPECT_LE(all.backward_error, support::good);
      const std::span<const double> expected(alone.data(), count * n);
      EXPECT_TRUE(support::close(all.x, expected, matrix.size())) << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SolveOfManyVectors, testing::Values("laplace2d:16"),
                         [](const auto&) { return std::string("Small"); });
INSTANTIATE_TEST_SUITE_P(SlowSizes, SolveOfManyVectors, testing::Values("laplace2d:130"),
                         [](const auto&) { return std::string("Large"); });

TEST(Solve, ReportsTheWorstBackwardErrorOfSeveralVectors) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const SparseMatrix a = support::dense_random(40, 5);
  const Matrix matrix = to_matrix(a);
  Factor factor(runtime, Analysis(matrix));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  const std::vector<double> b = support::random_vector(40 * 3, 9);
  const Solution solution = factor.solve(b, 3, SolveOptions{0});
  EXPECT_NEAR(solution.backward_error, backward_error_of(a, solution.x, b, 3),
              support::tolerance(40));
  EXPECT_GT(solution.backward_error, 0);
}

TEST(Solve, TellsTheErrorByTheNormOfTheMatrixThatWasFactoredLast) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  SparseMatrix a = support::dense_random(40, 5);
  const Matrix matrix = to_matrix(a);
  Factor factor(runtime, Analysis(matrix));
  const std::vector<double> b = support::random_vector(40, 9);
  // Each matrix is the previous one times a scale. For the last two matrices, the norm of the
  // previous matrix would make the error a million times too small. For the first matrix the old
  // norm is too small, which hardly changes the error.
  for (const double scale : {1e6, 1e-6, 1e-6}) {
    for (double& value : a.value) value *= scale;
    ASSERT_TRUE(factor.factorize(matrix.with_values(a.value)).ok());
    const Solution solution = factor.solve(b, 1, SolveOptions{0});
    const double ratio = solution.backward_error / backward_error_of(a, solution.x, b, 1);
    EXPECT_GT(ratio, 0.1) << scale;
    EXPECT_LT(ratio, 10) << scale;
  }
}

/// Solves in blocks that callbacks read and write. Notes the number of right-hand sides per block.
Solution solve_in_blocks(Factor& factor, std::span<const double> b, Index count,
                         std::vector<double>& x, std::vector<Index>& blocks) {
  const std::size_t n = b.size() / count;
  const auto read = [&](Index first, std::span<double> block) {
    std::ranges::copy(b.subspan(first * n, block.size()), block.begin());
    blocks.push_back(static_cast<Index>(block.size() / n));
  };
  const auto write = [&](Index first, std::span<const double> block, double error) {
    EXPECT_LE(error, support::good);
    EXPECT_EQ(x.size(), first * n);
    x.insert(x.end(), block.begin(), block.end());
  };
  return factor.solve(count, {read, write});
}

TEST(Solve, AMatrixWithoutRowsHasAnEmptySolution) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix none({0}, {}, {});
  using enum Granularity;
  for (const Granularity granularity : {automatic, panel, tile, block}) {
    FactorOptions options;
    options.granularity = granularity;
    Factor factor(runtime, Analysis(none), options);
    ASSERT_TRUE(factor.factorize(none).ok());
    ASSERT_TRUE(factor.factorize(none).ok());
    const Solution solution = factor.solve(std::vector<double>{}, 3);
    EXPECT_TRUE(solution.x.empty());
    EXPECT_EQ(solution.backward_error, 0);
    EXPECT_EQ(factor.log_determinant(), 0);
    EXPECT_TRUE(factor.diagonal().empty());
  }
}

TEST(SolveInBlocks, GivesWhatOneOfAllGives) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:16");
  Factor factor(runtime, Analysis(matrix));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  const std::vector<double> b = support::random_vector(150 * matrix.size(), 8);
  std::vector<double> x;
  std::vector<Index> blocks;
  const Solution solution = solve_in_blocks(factor, b, 150, x, blocks);
  EXPECT_EQ(blocks, (std::vector<Index>{64, 64, 22}));
  EXPECT_TRUE(solution.x.empty());
  const Solution all = factor.solve(b, 150);
  EXPECT_EQ(all.x, x);
  EXPECT_EQ(all.backward_error, solution.backward_error);
}

TEST(SolveInBlocks, HasBlocksThatTheLimitLeavesRoomFor) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:16");
  const Analysis analysis(matrix);
  const Count one = Factor(runtime, analysis).report().symbolic.predicted_peak_bytes;
  const std::vector<double> b = support::random_vector(10 * matrix.size(), 8);
  FactorOptions options;
  for (const auto& [space, columns] : {std::pair{0, 1}, {1 << 20, 10}}) {
    options.memory_limit = one + space;
    Factor factor(runtime, analysis, options);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    std::vector<double> x;
    std::vector<Index> blocks;
    solve_in_blocks(factor, b, 10, x, blocks);
    EXPECT_EQ(blocks, std::vector<Index>(10 / columns, columns));
    EXPECT_LE(factor.report().symbolic.predicted_peak_bytes, options.memory_limit);
  }
}

TEST(SolveInBlocks, IsRefusedWhereTheSolutionItselfPassesTheLimit) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:16");
  const Analysis analysis(matrix);
  FactorOptions options;
  options.memory_limit = Factor(runtime, analysis).report().symbolic.predicted_peak_bytes;
  Factor factor(runtime, analysis, options);
  ASSERT_TRUE(factor.factorize(matrix).ok());
  const std::vector<double> b(10 * static_cast<std::size_t>(matrix.size()), 1.0);
  support::expect_error<MemoryError>([&] { factor.solve(b, 10); }, {"memory limit"});
  std::vector<double> x(b.size());
  EXPECT_LE(factor.solve(b, x, 10).backward_error, support::good) << "the caller has allocated x";
  EXPECT_EQ(factor.report().symbolic.predicted_peak_bytes, options.memory_limit);
}

TEST(SolveIntoAnArray, GivesWhatASolutionHas) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:16");
  Factor factor(runtime, Analysis(matrix));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  for (const Index count : {1, 3, 130}) {
    const std::vector<double> b =
        support::random_vector(static_cast<std::size_t>(count) * matrix.size(), 8);
    const Solution expected = factor.solve(b, count);
    std::vector<double> x(b.size());
    const Solution solution = factor.solve(b, x, count);
    EXPECT_EQ(x, expected.x);
    EXPECT_TRUE(solution.x.empty());
    EXPECT_EQ(solution.backward_error, expected.backward_error);
    std::vector<double> same = b;
    EXPECT_EQ(factor.solve(same, same, count).backward_error, expected.backward_error);
    EXPECT_EQ(same, expected.x) << "x overwrites b";
    std::vector<double> array = b;
    array.push_back(0);
    if (count > 1) continue;
    factor.solve(std::span(array).first(b.size()), std::span(array).last(b.size()));
    EXPECT_EQ(std::vector(array.begin() + 1, array.end()), expected.x) << "x overlaps b";
  }
}

TEST(SolveIntoAnArray, NeedsAsManyEntriesInBoth) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:5");
  Factor factor(runtime, Analysis(matrix));
  const std::vector<double> b(25, 1.0);
  std::vector<double> x(24);
  support::expect_error<UsageError>([&] { factor.solve(b, x); }, {"factorize()"});
  ASSERT_TRUE(factor.factorize(matrix).ok());
  support::expect_error<UsageError>([&] { factor.solve(b, x); }, {"25 and 24"});
  x.resize(50);
  support::expect_error<UsageError>([&] { factor.solve(b, x, 2); }, {"25 times 2", "25 and 50"});
  support::expect_error<UsageError>([&] { factor.solve(b, x, 1, SolveOptions{-1}); },
                                    {"refinement_steps is -1"});
}

TEST(Solve, OfZeroIsZero) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:5");
  Factor factor(runtime, Analysis(matrix));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  const Solution solution = factor.solve(std::vector<double>(25, 0.0));
  EXPECT_EQ(solution.x, std::vector<double>(25, 0.0));
  EXPECT_EQ(solution.backward_error, 0);
  EXPECT_EQ(solution.refinement_steps, 0);
}

TEST(Solve, OfWhatIsNotFiniteHasNoSmallError) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:5");
  Factor factor(runtime, Analysis(matrix));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  for (const double poison :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> b(25, 1.0);
    b[13] = poison;
    EXPECT_FALSE(factor.solve(b).backward_error < 1);
  }
}

Solution solve_refined(const Matrix& matrix, const std::vector<double>& b, Index steps,
                       Index count = 1) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  Factor factor(runtime, Analysis(matrix));
  EXPECT_TRUE(factor.factorize(matrix).ok());
  return factor.solve(b, count, SolveOptions{steps});
}

/// Entries are so small that products lose digits by gradual underflow: L has an error of about
/// 1e-9.
TEST(Refinement, RecoversTheDigitsThatTheFactorLacks) {
  SparseMatrix a = support::tridiagonal(50);
  for (double& value : a.value) value *= 1e-315;
  const Matrix matrix = to_matrix(a);
  std::vector<double> b = support::random_vector(50, 3);
  for (double& value : b) value *= 1e-311;
  const Solution rough = solve_refined(matrix, b, 0);
  EXPECT_EQ(rough.refinement_steps, 0);
  ASSERT_GT(rough.backward_error, 1e-12) << "there is nothing to refine";
  const Solution once = solve_refined(matrix, b, 1);
  EXPECT_EQ(once.refinement_steps, 1);
  EXPECT_LT(once.backward_error, 0.5 * rough.backward_error);
  const Solution more = solve_refined(matrix, b, 20);
  std::vector<double> r(b.size());
  EXPECT_EQ(more.backward_error, residual_error(a, norm_inf(a), more.x, b, r));
  EXPECT_LE(more.backward_error, once.backward_error);
  EXPECT_LT(more.refinement_steps, 20) << "refinement stops if steps no longer help";
}

TEST(Refinement, HelpsEachOfManyRightHandSides) {
  constexpr Index count = 7;
  SparseMatrix a = support::tridiagonal(50);
  for (double& value : a.value) value *= 1e-315;
  const Matrix matrix = to_matrix(a);
  std::vector<double> b = support::random_vector(std::size_t{50} * count, 3);
  for (double& value : b) value *= 1e-311;
  const Solution together = solve_refined(matrix, b, 20, count);
  EXPECT_GE(together.refinement_steps, 1);
  EXPECT_LT(together.backward_error, 0.5 * solve_refined(matrix, b, 0, count).backward_error);
  std::vector<double> r(b.size());
  EXPECT_EQ(together.backward_error, residual_error(a, norm_inf(a), together.x, b, r, count))
      << "the error belongs to the returned solution";
}

TEST(Refinement, NeverMakesAnIllConditionedSolutionWorse) {
  for (const auto& a : {support::hilbert(8), support::hilbert(10),
                        support::badly_scaled(support::dense_random(60, 1), 200, 2)}) {
    const Matrix matrix = to_matrix(a);
    const std::vector<double> b = support::random_vector(a.pattern.n, 4);
    const double before = solve_refined(matrix, b, 0).backward_error;
    const double after = solve_refined(matrix, b, 10).backward_error;
    EXPECT_LE(after, before);
    EXPECT_LE(after, support::good);
  }
}

TEST(Refinement, StopsAtAGoodSolution) {
  const Matrix matrix = Matrix::load("laplace2d:8");
  EXPECT_EQ(solve_refined(matrix, support::random_vector(64, 1), 50).refinement_steps, 0);
}

TEST(Refinement, OfTooManyOrNegativeStepsIsRefused) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:5");
  Factor factor(runtime, Analysis(matrix));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  const std::vector<double> b(25, 1.0);
  for (const Index steps : {-1, 101}) {
    support::expect_error<UsageError>([&] { factor.solve(b, 1, SolveOptions{steps}); },
                                      {"refinement_steps is " + std::to_string(steps)});
  }
}

}  // namespace
}  // namespace espalier::internal
