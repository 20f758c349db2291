// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/mpi.hpp"
#include "matrix/matrix_part.hpp"
#include "ranks/parts.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/problems.hpp"
#include "support/tolerance.hpp"

/// Factorization::automatic on several ranks.
namespace espalier::internal {
namespace {

using support::expect_error;

FactorOptions of(Factorization factorization, bool deterministic = false) {
  FactorOptions options;
  options.factorization = factorization;
  options.deterministic = deterministic;
  return options;
}

/// Returns 2-by-2 blocks with small diagonal entries, and a chain that couples them.
Matrix in_pairs() {
  constexpr Index n = 60;
  std::vector<Count> begin{0};
  std::vector<Index> row;
  std::vector<double> value;
  const auto add = [&](Index i, double entry) {
    row.push_back(i);
    value.push_back(entry);
  };
  for (Index j = 0; j < n; ++j) {
    add(j, 1e-6);
    if (j % 2 == 0) add(j + 1, 1);
    if (j + 2 < n) add(j + 2, 0.25);
    begin.push_back(std::ssize(row));
  }
  return {begin, row, value};
}

class AutomaticFactorOnRanks : public testing::Test {
 protected:
  const Matrix* roots(const Matrix& matrix) const { return ranks_.is_root() ? &matrix : nullptr; }

  std::optional<Analysis> analysis_of(const Matrix& matrix, const char* ordering = "amd") const {
    AnalysisOptions options;
    options.ordering = ordering;
    options.panel_width = 16;
    return analyze(ranks_, roots(matrix), options);
  }
  DistributedFactor factor_of(const std::optional<Analysis>& analysis,
                              const FactorOptions& options = of(Factorization::automatic)) const {
    return {ranks_, analysis ? &*analysis : nullptr, options};
  }
  DistributedMatrix distributed(const Matrix& matrix) const {
    const auto part =
        support::triplets_of(support::to_sparse(matrix), ranks_.rank(), ranks_.size());
    return {ranks_, matrix.size(), part.row, part.column, part.value};
  }

  /// Expects a small backward error on all ranks. Returns the solution of the root.
  std::vector<double> expect_solves(DistributedFactor& factor, const Matrix& matrix) const {
    std::vector<double> b;
    if (ranks_.is_root()) {
      b = matrix.multiply(std::vector<double>(static_cast<std::size_t>(matrix.size()), 1.0));
    }
    const Solution solution = factor.solve(b, 1, support::refined());
    EXPECT_LE(solution.backward_error, support::good);
    return solution.x;
  }

  /// Expects the kind of factorization and the number of negative eigenvalues.
  void expect_kind(const DistributedFactor& factor, const char* kind, Index negative) const {
    EXPECT_EQ(factor.inertia().negative, negative);
    EXPECT_EQ(factor.inertia().status, Inertia::Status::exact);
    const Report report = factor.report();
    if (ranks_.is_root()) {
      EXPECT_EQ(report.factor.factorization, kind);
      EXPECT_EQ(report.status, "ok");
    }
  }

  Ranks ranks_{MPI_COMM_WORLD, RuntimeOptions{1, ""}};
  Matrix grid_ = Matrix::load("laplace3d:10");
  Matrix indefinite_ = grid_.shifted(2);  ///< with 47 negative eigenvalues and a positive diagonal
};

TEST_F(AutomaticFactorOnRanks, IsCholeskyForPositiveDefiniteMatrices) {
  const auto analysis = analysis_of(grid_);
  std::vector<std::vector<double>> x;
  std::vector<Report> reports;
  for (const auto kind : {Factorization::llt, Factorization::automatic}) {
    DistributedFactor factor = factor_of(analysis, of(kind, true));
    ASSERT_TRUE(factor.factorize(roots(grid_)).ok());
    x.push_back(expect_solves(factor, grid_));
    reports.push_back(factor.report());
  }
  EXPECT_EQ(x[0], x[1]);
  if (!ranks_.is_root()) return;
  EXPECT_EQ(reports[1].factor.factorization, "llt");
  EXPECT_EQ(reports[1].factor.attempt_seconds, -1);
  EXPECT_EQ(reports[1].symbolic.predicted_peak_bytes, reports[0].symbolic.predicted_peak_bytes);
  EXPECT_TRUE(reports[1].factor.inertia.status.empty());
}

TEST_F(AutomaticFactorOnRanks, ChoosesPivotsAfterAFailedPivot) {
  DistributedFactor factor = factor_of(analysis_of(indefinite_));
  for (std::size_t runs = 1; runs <= 2; ++runs) {
    ASSERT_TRUE(factor.factorize(roots(indefinite_)).ok());
    expect_solves(factor, indefinite_);
    expect_kind(factor, "ldlt", 47);
    const Report report = factor.report();
    if (!ranks_.is_root()) continue;
    EXPECT_GT(report.factor.attempt_seconds, 0);
    EXPECT_EQ(report.factor.runs.size(), runs) << "the failed attempt is not a run";
  }
}

TEST_F(AutomaticFactorOnRanks, IsTheFactorThatKnewTheMatching) {
  for (const char* const name : {"stokes2d:12", "mixed2d:9"}) {
    SCOPED_TRACE(name);
    const Matrix matrix = Matrix::load(name);
    AnalysisOptions matching;
    matching.matching = true;
    matching.ordering = "amd";
    matching.panel_width = 16;
    DistributedFactor factor = factor_of(analysis_of(matrix), of(Factorization::automatic, true));
    DistributedFactor other =
        factor_of(analyze(ranks_, roots(matrix), matching), of(Factorization::ldlt, true));
    ASSERT_TRUE(factor.factorize(roots(matrix)).ok());
    ASSERT_TRUE(other.factorize(roots(matrix)).ok());
    EXPECT_EQ(expect_solves(factor, matrix), expect_solves(other, matrix));
    const Report report = factor.report();
    const Report expected = other.report();
    if (!ranks_.is_root()) continue;
    EXPECT_EQ(report.factor.attempt_seconds, 0) << "a diagonal entry is not positive";
    EXPECT_EQ(report.analysis.matched_pairs, expected.analysis.matched_pairs);
    EXPECT_EQ(report.factor.perturbed_columns, expected.factor.perturbed_columns);
  }
}

TEST_F(AutomaticFactorOnRanks, FindsPairsAfterTheAttempt) {
  const Matrix matrix = in_pairs();
  for (const char* const ordering : {"amd", "natural", "metis", "ptscotch"}) {
    SCOPED_TRACE(ordering);
    DistributedFactor factor = factor_of(analysis_of(matrix, ordering));
    ASSERT_TRUE(factor.factorize(roots(matrix)).ok());
    expect_solves(factor, matrix);
    expect_kind(factor, "ldlt", 30);
    const Report report = factor.report();
    if (!ranks_.is_root()) continue;
    EXPECT_GT(report.factor.attempt_seconds, 0);
    EXPECT_EQ(report.analysis.matched_pairs, 30);
  }
}

TEST_F(AutomaticFactorOnRanks, TakesDistributedMatrices) {
  const std::pair<Matrix, Index> samples[] = {
      {grid_, 0}, {indefinite_, 47}, {in_pairs(), 30}, {Matrix::load("stokes2d:7"), 48}};
  for (const auto& [matrix, negative] : samples) {
    const DistributedMatrix parts = distributed(matrix);
    const auto analysis = analyze(ranks_, parts);
    for (const bool give_up : {false, true}) {
      DistributedFactor factor = factor_of(analysis);
      DistributedMatrix given = give_up ? distributed(matrix) : parts;
      ASSERT_TRUE((give_up ? factor.factorize(std::move(given)) : factor.factorize(parts)).ok());
      expect_solves(factor, matrix);
      expect_kind(factor, negative > 0 ? "ldlt" : "llt", negative);
      ASSERT_TRUE(factor.factorize(parts).ok());
      expect_solves(factor, matrix);
    }
  }
  DistributedFactor factor = factor_of(analysis_of(grid_));
  const DistributedMatrix other = distributed(Matrix::load("laplace2d:9").shifted(2));
  expect_error<UsageError>([&] { (void)factor.factorize(other); }, {"pattern"});
}

TEST_F(AutomaticFactorOnRanks, TakesOverTheMatrix) {
  DistributedFactor factor = factor_of(analysis_of(indefinite_));
  std::optional<Matrix> handed_over;
  if (ranks_.is_root()) handed_over = indefinite_;
  ASSERT_TRUE(factor.factorize(std::move(handed_over)).ok());
  expect_kind(factor, "ldlt", 47);
}

TEST_F(AutomaticFactorOnRanks, StaysWithItsChoice) {
  DistributedFactor factor = factor_of(analysis_of(grid_));
  ASSERT_TRUE(factor.factorize(roots(grid_)).ok());
  expect_kind(factor, "llt", 0);
  ASSERT_TRUE(factor.factorize(roots(indefinite_)).ok());
  expect_kind(factor, "ldlt", 47);
  const double attempt = factor.report().factor.attempt_seconds;
  ASSERT_TRUE(factor.factorize(roots(grid_)).ok());
  expect_solves(factor, grid_);
  expect_kind(factor, "ldlt", 0);
  const Report report = factor.report();
  if (!ranks_.is_root()) return;
  EXPECT_EQ(report.factor.attempt_seconds, attempt);
  EXPECT_EQ(report.factor.runs.size(), 2U);
}

/// The limit is the smallest for which L Lᵀ fits on all ranks.
TEST_F(AutomaticFactorOnRanks, RemainsUsableIfThereIsNoMemory) {
  const auto analysis = analysis_of(grid_);
  const auto fits = [&](FactorOptions options, Count limit) {
    options.memory_limit = limit;
    try {
      factor_of(analysis, options);
      return true;
    } catch (const MemoryError&) {
      return false;
    }
  };
  Count least = 1;
  for (Count step = Count{1} << 32; step > 0; step /= 2) {
    if (!fits({}, least + step - 1)) least += step;
  }
  ASSERT_TRUE(fits({}, least));
  ASSERT_FALSE(fits(of(Factorization::ldlt), least));
  FactorOptions options = of(Factorization::automatic);
  options.memory_limit = least;
  DistributedFactor factor = factor_of(analysis, options);
  EXPECT_THROW((void)factor.factorize(roots(indefinite_)), MemoryError);
  ASSERT_TRUE(factor.factorize(roots(grid_)).ok());
  expect_kind(factor, "llt", 0);
}

TEST_F(AutomaticFactorOnRanks, RefusesWhatItDoesNotSupport) {
  const auto analysis = analysis_of(grid_);
  DistributedFactor factor = factor_of(analysis);
  const std::vector<signed char> signs(ranks_.is_root() ? 1000 : 0, 1);
  expect_error<UsageError>([&] { factor.set_signs(signs); }, {"factorization=ldlt"});
  FactorOptions options = of(Factorization::automatic);
  options.kernels.from = DenseKernels::Source::blas;
  expect_error<UsageError>([&] { factor_of(analysis, options); },
                           {"factorization=auto", "kernels"});
}

}  // namespace
}  // namespace espalier::internal
