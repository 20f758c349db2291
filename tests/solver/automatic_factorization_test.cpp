// SPDX-License-Identifier: BSD-3-Clause
#include "solver/automatic_factorization.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solver/sample_solver.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;

FactorOptions of(Factorization factorization) {
  FactorOptions options;
  options.factorization = factorization;
  return options;
}

class AutomaticFactorization : public testing::Test {
 protected:
  Factor automatic(const Matrix& matrix) {
    return {runtime_, Analysis(matrix), of(Factorization::automatic)};
  }

  Runtime runtime_{RuntimeOptions{2, "prio"}};
  Matrix grid_ = Matrix::load("laplace3d:10");
  Matrix indefinite_ = grid_.shifted(2);  ///< with 47 negative eigenvalues and a positive diagonal
};

TEST_F(AutomaticFactorization, IsCholeskyForPositiveDefiniteMatrices) {
  AnalysisOptions structure;
  structure.workers = 2;
  structure.tuned = false;
  const Analysis analysis(grid_, structure);
  std::vector<std::vector<double>> x;
  std::vector<Report> reports;
  for (const auto kind : {Factorization::llt, Factorization::automatic}) {
    FactorOptions options = of(kind);
    options.deterministic = true;
    Factor factor(runtime_, analysis, options);
    ASSERT_TRUE(factor.factorize(grid_).ok());
    x.push_back(factor.solve(grid_.multiply(std::vector<double>(1000, 1.0))).x);
    reports.push_back(factor.report());
  }
  EXPECT_EQ(x[0], x[1]);
  EXPECT_EQ(reports[1].factor.factorization, "llt");
  EXPECT_EQ(reports[1].factor.attempt_seconds, -1);
  EXPECT_EQ(reports[1].symbolic.predicted_peak_bytes, reports[0].symbolic.predicted_peak_bytes);
  EXPECT_EQ(reports[1].symbolic.nnz_l, reports[0].symbolic.nnz_l);
  EXPECT_TRUE(reports[1].factor.inertia.status.empty());
}

TEST_F(AutomaticFactorization, ChoosesPivotsAfterAFailedPivot) {
  Factor factor = automatic(indefinite_);
  ASSERT_TRUE(factor.factorize(indefinite_).ok());
  support::expect_solves(factor, indefinite_);
  const Inertia inertia = factor.inertia();
  EXPECT_EQ(inertia.negative, 47);
  EXPECT_EQ(inertia.positive, 1000 - 47);
  EXPECT_EQ(inertia.status, Inertia::Status::exact);
  const Report report = factor.report();
  EXPECT_EQ(report.factor.factorization, "ldlt");
  EXPECT_EQ(report.status, "ok");
  EXPECT_GT(report.factor.attempt_seconds, 0);
  EXPECT_EQ(report.factor.runs.size(), 1U) << "the failed attempt is not a run";
}

TEST_F(AutomaticFactorization, SkipsLltIfADiagonalEntryIsNotPositive) {
  for (const char* const name : {"stokes2d:12", "mixed2d:9"}) {
    SCOPED_TRACE(name);
    const Matrix matrix = Matrix::load(name);
    Factor factor = automatic(matrix);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    support::expect_solves(factor, matrix);
    const Report report = factor.report();
    EXPECT_EQ(report.factor.attempt_seconds, 0);
    EXPECT_EQ(report.factor.delayed, 0) << "a matching pairs the columns";
    EXPECT_GE(report.analysis.matched_pairs, 0);
    AnalysisOptions matching;
    matching.matching = true;
    Factor other(runtime_, Analysis(matrix, matching), of(Factorization::ldlt));
    ASSERT_TRUE(other.factorize(matrix).ok());
    EXPECT_EQ(factor.inertia().negative, other.inertia().negative);
    EXPECT_EQ(factor.inertia().status, other.inertia().status);
  }
}

TEST_F(AutomaticFactorization, StaysWithItsChoice) {
  Factor factor = automatic(grid_);
  ASSERT_TRUE(factor.factorize(grid_).ok());
  EXPECT_EQ(factor.report().factor.factorization, "llt");
  ASSERT_TRUE(factor.factorize(indefinite_).ok());
  EXPECT_EQ(factor.report().factor.factorization, "ldlt");
  const double attempt = factor.report().factor.attempt_seconds;
  ASSERT_TRUE(factor.factorize(grid_).ok());
  support::expect_solves(factor, grid_);
  EXPECT_EQ(factor.inertia().negative, 0);
  const Report report = factor.report();
  EXPECT_EQ(report.factor.factorization, "ldlt");
  EXPECT_EQ(report.factor.attempt_seconds, attempt);
  EXPECT_EQ(report.factor.runs.size(), 2U);
}

TEST_F(AutomaticFactorization, KeepsTheOrderIfNoColumnsAreRelated) {
  const Analysis analysis(indefinite_);
  Factor factor(runtime_, analysis, of(Factorization::automatic));
  ASSERT_TRUE(factor.factorize(indefinite_).ok());
  const Report report = factor.report();
  EXPECT_EQ(report.analysis.matched_pairs, 0);
  EXPECT_EQ(report.symbolic.nnz_l, analysis.report().symbolic.nnz_l);
}

TEST_F(AutomaticFactorization, IsUncertainForSingularMatrices) {
  const Matrix ones({0, 2, 3}, {0, 1, 1}, {1, 1, 1});
  Factor factor = automatic(ones);
  ASSERT_TRUE(factor.factorize(ones).ok());
  EXPECT_EQ(factor.inertia().status, Inertia::Status::uncertain);
  EXPECT_EQ(factor.replaced_pivots().size(), 1U);
}

TEST_F(AutomaticFactorization, ReportsValuesThatAreNotFinite) {
  Factor factor = automatic(grid_);
  for (const std::size_t entry : {0, 1}) {  // on the diagonal, and below it
    std::vector<double> value(grid_.values().begin(), grid_.values().end());
    value[entry] = std::numeric_limits<double>::quiet_NaN();
    const Matrix broken = grid_.with_values(value);
    expect_error<InputError>([&] { (void)factor.factorize(broken); }, {"not finite"});
  }
  ASSERT_TRUE(factor.factorize(grid_).ok());
  EXPECT_EQ(factor.report().factor.factorization, "llt");
  support::expect_solves(factor, grid_);
}

TEST_F(AutomaticFactorization, RemainsUsableIfThereIsNoMemory) {
  const Analysis analysis(grid_);
  FactorOptions options = of(Factorization::automatic);
  options.memory_limit = Factor(runtime_, analysis, options).report().symbolic.predicted_peak_bytes;
  Factor factor(runtime_, analysis, options);
  EXPECT_THROW((void)factor.factorize(indefinite_), MemoryError);
  ASSERT_TRUE(factor.factorize(grid_).ok());
  EXPECT_EQ(factor.report().factor.factorization, "llt");
  support::expect_solves(factor, grid_);
}

TEST_F(AutomaticFactorization, RefusesWhatItDoesNotSupport) {
  Factor factor = automatic(grid_);
  const std::vector<signed char> signs(1000, 1);
  expect_error<UsageError>([&] { factor.set_signs(signs); }, {"factorization=ldlt"});
  expect_error<UsageError>([&] { factor.submit_factorize(grid_); },
                           {"factorization=auto", "factorize()"});
  FactorOptions options = of(Factorization::automatic);
  options.kernels.from = DenseKernels::Source::blas;
  expect_error<UsageError>([&] { Factor(runtime_, Analysis(grid_), options); },
                           {"factorization=auto", "kernels"});
  options = of(Factorization::automatic);
  options.regularization = {1e-8, 0, 0, 0};
  expect_error<UsageError>([&] { Factor(runtime_, Analysis(grid_), options); },
                           {"factorization=ldlt"});
}

}  // namespace
}  // namespace espalier::internal
