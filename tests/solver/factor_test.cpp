// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "report/factor_report.hpp"
#include "solver/numeric_factor.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"

/// Properties of the public interface of Factor, apart from numbers: order of calls, sizes,
/// patterns.
namespace espalier::internal {
namespace {

using support::analysis_of;
using support::expect_error;
using support::expect_solves;
using support::to_matrix;
using support::with;

class FactorContract : public testing::TestWithParam<Granularity> {
 protected:
  Factor factor() const { return Factor(runtime_, analysis_, with(GetParam())); }

  Runtime runtime_{RuntimeOptions{2, "prio"}};
  Matrix matrix_ = Matrix::load("laplace2d:12");
  Analysis analysis_ = analysis_of(matrix_);
  std::vector<double> b_ = std::vector<double>(144, 1.0);
};

TEST_P(FactorContract, FactorizesAgainWithOtherValues) {
  Factor f = factor();
  for (const double scale : {1.0, 7.0, 1e-200, 1e150, 0.5}) {
    std::vector<double> values(matrix_.values().begin(), matrix_.values().end());
    for (double& value : values) value *= scale;
    const Matrix scaled = matrix_.with_values(values);
    ASSERT_TRUE(f.factorize(scaled).ok()) << scale;
    expect_solves(f, scaled);
  }
}

TEST_P(FactorContract, TellsWhereAndWhenItsTasksRan) {
  Factor f = factor();
  EXPECT_TRUE(f.schedule().tasks.empty());
  ASSERT_TRUE(f.factorize(matrix_).ok());
  const Schedule schedule = f.schedule();
  const Report report = f.report();
  Count tasks = 0;
  for (const KindReport& kind : report.kinds) tasks += kind.count;
  EXPECT_EQ(std::ssize(schedule.tasks), tasks);
  EXPECT_EQ(schedule.workers, report.machine.cpu_workers);
  EXPECT_EQ(schedule.seconds, report.factor.seconds);
  double busy = 0;
  double predicted = 0;
  for (const TaskRun& run : schedule.tasks) {
    busy += run.end - run.begin;
    predicted += run.predicted_seconds;
    EXPECT_GE(run.begin, 0);
    EXPECT_LE(run.begin, run.end);
    EXPECT_LE(run.end, report.factor.seconds);
    EXPECT_THAT(run.worker, testing::AllOf(testing::Ge(0), testing::Lt(2)));
    EXPECT_GE(run.row, run.column) << run.kind;
  }
  const double all = schedule.seconds * schedule.workers;
  EXPECT_NEAR(busy + schedule.idle_seconds + schedule.runtime_seconds, all, 1e-9 * all);
  EXPECT_NEAR(schedule.idle_seconds / all, report.tasks.idle_share, 1e-9);
  EXPECT_GT(schedule.critical_path_seconds, 0);
  EXPECT_LE(schedule.critical_path_seconds, predicted * 1.0001);
}

TEST_P(FactorContract, TakesAnEqualPatternOfAnotherMatrix) {
  Factor f = factor();
  const Matrix same = Matrix::load("laplace2d:12");
  ASSERT_TRUE(f.factorize(same).ok());
  expect_solves(f, same);
}

TEST_P(FactorContract, RefusesAnotherPattern) {
  Factor f = factor();
  ASSERT_TRUE(f.factorize(matrix_).ok());
  const auto refuse = [&](const Matrix& other) {
    expect_error<UsageError>([&] { f.factorize(other); }, {"another pattern"});
    expect_error<UsageError>([&] { f.submit_factorize(other); }, {"another pattern"});
  };
  refuse(Matrix::load("laplace2d:13"));
  refuse(to_matrix(support::tridiagonal(144)));
  refuse(to_matrix(support::identity(144)));
  expect_solves(f, matrix_);
}

TEST_P(FactorContract, RefusesAMatrixWithoutValues) {
  Factor f = factor();
  const Matrix pattern = Matrix::load_pattern("laplace2d:12");
  expect_error<UsageError>([&] { f.factorize(pattern); }, {"no values"});
  ASSERT_TRUE(f.factorize(matrix_).ok());
  expect_solves(f, matrix_);
}

TEST_P(FactorContract, RefusesToSolveBeforeItIsFactorized) {
  Factor f = factor();
  std::vector<double> x(144);
  expect_error<UsageError>([&] { f.solve(b_); }, {"factorize()"});
  expect_error<UsageError>([&] { f.submit_solve(b_, x); }, {"factorize()"});
  EXPECT_TRUE(f.wait().ok());
}

TEST_P(FactorContract, RefusesWrongSizesAndKeepsWorking) {
  Factor f = factor();
  ASSERT_TRUE(f.factorize(matrix_).ok());
  const std::span<const double> b(b_);
  expect_error<UsageError>([&] { f.solve(b.first(143)); }, {"144 times 1", "143"});
  expect_error<UsageError>([&] { f.solve(b, 2); }, {"144 times 2", "144"});
  expect_error<UsageError>([&] { f.solve(b, 0); }, {"144 times 0"});
  expect_error<UsageError>([&] { f.solve(b, -1); }, {"144 times -1"});
  expect_error<UsageError>([&] { f.solve({}); }, {"144 times 1"});
  std::vector<double> x(143);
  expect_error<UsageError>([&] { f.submit_solve(b, x); }, {"144 times 1", "144 and 143"});
  expect_solves(f, matrix_);
}

TEST_P(FactorContract, OutlivesItsMatrixAndItsAnalysis) {
  auto matrix = std::make_unique<Matrix>(Matrix::load("laplace2d:12"));
  auto analysis = std::make_unique<Analysis>(analysis_of(*matrix));
  Factor f(runtime_, *analysis, with(GetParam()));
  analysis.reset();
  ASSERT_TRUE(f.factorize(*matrix).ok());
  matrix.reset();
  EXPECT_LE(f.solve(b_).backward_error, support::good);
}

TEST_P(FactorContract, MovesWithItsContent) {
  Factor first = factor();
  ASSERT_TRUE(first.factorize(matrix_).ok());
  Factor second(std::move(first));
  expect_solves(second, matrix_);
  Factor third = factor();
  third = std::move(second);
  expect_solves(third, matrix_);
}

TEST_P(FactorContract, SolvesForColumnsThatAreAloneOnTheDiagonal) {
  // Columns of a grid alternate with diagonal columns. The last columns are all diagonal.
  const auto grid_begin = matrix_.column_begin();
  std::vector<Count> begin{0};
  std::vector<Index> row;
  std::vector<double> value;
  const auto append = [&](Index i, double v) {
    row.push_back(i);
    value.push_back(v);
  };
  for (Index j = 0; j < 3 * matrix_.size(); ++j) {
    const bool in_grid = j % 2 == 0 && j / 2 < matrix_.size();
    if (!in_grid) append(j, 2.0 + j);
    for (Count k = in_grid ? grid_begin[j / 2] : 0; k < (in_grid ? grid_begin[j / 2 + 1] : 0);
         ++k) {
      append(2 * matrix_.rows()[k], matrix_.values()[k]);
    }
    begin.push_back(std::ssize(row));
  }
  const Matrix mixed(begin, row, value);
  const Analysis analysis = analysis_of(mixed);
  Factor f(runtime_, analysis, with(GetParam()));
  ASSERT_TRUE(f.factorize(mixed).ok());
  expect_solves(f, mixed);
  for (const Index count : {1, 3}) {
    std::vector<double> x(static_cast<std::size_t>(mixed.size()) * count);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + static_cast<double>(i % 7);
    const Solution solution = f.solve(mixed.multiply(x, count), count, SolveOptions{0});
    EXPECT_LT(solution.backward_error, 1e-14);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(solution.x[i], x[i], 1e-11) << i;
  }
  value[static_cast<std::size_t>(begin[1])] = -1;
  EXPECT_EQ(f.factorize(Matrix(begin, row, value)).bad_column, 1);
}

TEST_P(FactorContract, WaitsForNothingAtOnce) {
  Factor f = factor();
  EXPECT_TRUE(f.wait().ok());
  ASSERT_TRUE(f.factorize(matrix_).ok());
  EXPECT_TRUE(f.wait().ok());
}

/// Only the factor holds the matrix while tasks run.
TEST_P(FactorContract, IsDestroyedWhileItsTasksRun) {
  std::vector<double> x(144);
  for (const bool solves : {false, true}) {
    Factor f = factor();
    f.submit_factorize(Matrix::load("laplace2d:12"));
    if (solves) f.submit_solve(b_, x);
  }
}

TEST_P(FactorContract, KeepsOrderBetweenWhatIsSubmitted) {
  Factor f = factor();
  std::vector<double> x(144);
  std::vector<double> values(matrix_.values().begin(), matrix_.values().end());
  for (double& value : values) value *= 2;
  const Matrix doubled = matrix_.with_values(values);
  f.submit_factorize(matrix_);
  f.submit_factorize(doubled);
  f.submit_solve(b_, x);
  f.submit_solve(x, x);
  ASSERT_TRUE(f.wait().ok());
  const std::vector<double> once = doubled.multiply(x);
  const std::vector<double> twice = doubled.multiply(once);
  for (std::size_t i = 0; i < b_.size(); ++i) EXPECT_NEAR(twice[i], 1, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Granularities, FactorContract,
                         testing::ValuesIn(support::all_granularities),
                         [](const auto& info) { return name_of(info.param); });

TEST(FactorMemory, IsRefusedAboveTheLimit) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:12");
  const Analysis analysis(matrix);
  const Count predicted = Factor(runtime, analysis).report().symbolic.predicted_peak_bytes;
  FactorOptions options;
  options.memory_limit = predicted;
  EXPECT_NO_THROW(Factor(runtime, analysis, options));
  options.memory_beside = 1;
  expect_error<MemoryError>([&] { Factor(runtime, analysis, options); }, {"memory limit"});
  options.memory_beside = -1;
  expect_error<UsageError>([&] { Factor(runtime, analysis, options); }, {"memory_beside is -1"});
  options.memory_beside = 0;
  options.memory_limit = predicted - 1;
  expect_error<MemoryError>([&] { Factor(runtime, analysis, options); }, {"memory limit"});
  options.memory_limit = 1;
  expect_error<MemoryError>([&] { Factor(runtime, analysis, options); }, {"1 B"});
  options.memory_limit = -1;
  expect_error<UsageError>([&] { Factor(runtime, analysis, options); }, {"memory_limit is -1"});
}

/// The numeric phase allocates nothing, so L keeps its address.
TEST(FactorMemory, IsAllocatedOnce) {
  const StarpuInstance starpu(RuntimeOptions{2, "prio"});
  const SparseMatrix a = support::dense_random(40, 3);
  const SymbolicFactor symbolic = support::structure_of(a);
  NumericFactor factor(
      starpu, symbolic, a.pattern,
      plan_factorization(symbolic, {.workers = 2, .options = with(Granularity::block)}), false,
      KernelCost{});
  const double* const before = factor.values().data();
  for (int i = 0; i < 3; ++i) {
    factor.submit_factorize(a.value.data());
    ASSERT_EQ(factor.wait(), -1);
    EXPECT_EQ(factor.values().data(), before);
  }
}

}  // namespace
}  // namespace espalier::internal

/// FactorOptions::deterministic: the same bits in every run, with any number of workers.
namespace espalier::internal {
namespace {

class Deterministic : public testing::TestWithParam<const char*> {
 protected:
  Deterministic() : matrix_(Matrix::load(GetParam())) {}

  Analysis analysis(const std::string& ordering) const {
    AnalysisOptions options;
    options.workers = 2;
    options.ordering = ordering;
    return Analysis(matrix_, options);
  }

  std::vector<double> solution(const Runtime& runtime, const Analysis& analysis,
                               Granularity granularity) const {
    FactorOptions options = support::with(granularity);
    options.deterministic = true;
    Factor factor(runtime, analysis, options);
    EXPECT_TRUE(factor.factorize(matrix_).ok());
    const auto n = static_cast<std::size_t>(matrix_.size());
    return factor.solve(support::random_vector(3 * n, 1), 3).x;
  }

  Matrix matrix_;
};

TEST_P(Deterministic, GivesTheSameBitsForAnyNumberOfWorkers) {
  Index turn = matrix_.size();  // so that matrices start with different orderings
  for (const Granularity granularity : support::all_granularities) {
    const std::string ordering = turn++ % 2 == 0 ? "metis" : "amd";
    const Analysis analysis = this->analysis(ordering);
    std::optional<std::vector<double>> expected;
    for (const Index workers : {1, 2, 3}) {
      const Runtime runtime(RuntimeOptions{workers, workers == 3 ? "lws" : "prio"});
      for (int run = 0; run < 2; ++run) {
        const std::vector<double> x = solution(runtime, analysis, granularity);
        if (!expected) expected = x;
        EXPECT_TRUE(x == *expected) << ordering << ", " << workers << " workers, run " << run
                                    << ", granularity " << static_cast<int>(granularity);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, Deterministic, testing::Values("laplace3d:7", "laplace2d:40"));
/// Large enough for solves that consist of tasks.
INSTANTIATE_TEST_SUITE_P(Slow, Deterministic, testing::Values("laplace2d:130"));

}  // namespace
}  // namespace espalier::internal
