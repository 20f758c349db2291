// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/rank_delays.hpp"
#include "espalier/mpi.hpp"
#include "matrix/generators.hpp"
#include "ranks/parts.hpp"
#include "ranks/whole.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/inertia.hpp"
#include "support/tolerance.hpp"

/// Factorizations on several ranks that are repeated with delayed pivots. The natural partners of
/// the zero diagonal entries of the matrix are in other panels.
namespace espalier::internal {
namespace {

FactorOptions pivoting(Mapping mapping = Mapping::proportional) {
  FactorOptions options;
  options.factorization = Factorization::ldlt;
  options.mapping = mapping;
  return options;
}

class DelayedPivotsOnRanks : public testing::Test {
 protected:
  const Matrix* roots_matrix() const { return ranks_.is_root() ? &matrix_ : nullptr; }
  std::optional<Matrix> given_matrix() const {
    return ranks_.is_root() ? std::optional(matrix_) : std::nullopt;
  }

  /// Returns options for narrow panels, in which fewer zero diagonal entries have a partner.
  static AnalysisOptions narrow() {
    AnalysisOptions options;
    options.panel_width = 8;
    return options;
  }
  /// Returns the number of delayed columns in one process on the root, and 0 on other ranks. No
  /// other StarPU may run.
  Index delayed_alone() const {
    if (support::rank_here() != 0) return 0;
    const Runtime runtime(RuntimeOptions{1, ""});
    Factor factor(runtime, Analysis(matrix_, narrow()), pivoting());
    EXPECT_TRUE(factor.factorize(matrix_).ok());
    return factor.report().factor.delayed;
  }
  std::optional<Analysis> analysis() const { return analyze(ranks_, roots_matrix(), narrow()); }

  DistributedFactor factor_of(const std::optional<Analysis>& analysis,
                              const FactorOptions& options = pivoting()) const {
    return {ranks_, analysis ? &*analysis : nullptr, options};
  }
  DistributedMatrix distributed() const {
    const auto part = support::triplets_of(saddle_, ranks_.rank(), ranks_.size());
    return {ranks_, matrix_.size(), part.row, part.column, part.value};
  }

  /// Returns the data of a factor after a factorization without delays.
  std::unique_ptr<DistributedFactorData> factored() const {
    const auto of_matrix = analysis();
    auto data = std::make_unique<DistributedFactorData>(
        Internals::data(ranks_), of_matrix ? Internals::shared(*of_matrix) : nullptr, pivoting());
    data->allocate();
    std::optional<Matrix> given = given_matrix();
    EXPECT_TRUE(data->factorize(given).ok());
    EXPECT_EQ(given.has_value(), ranks_.is_root()) << "a repetition needs the matrix";
    return data;
  }

  /// Expects an accurate solution on all ranks.
  void expect_solves(DistributedFactor& factor) const {
    std::vector<double> b;
    if (ranks_.is_root()) {
      b = matrix_.multiply(std::vector<double>(static_cast<std::size_t>(matrix_.size()), 1.0));
    }
    EXPECT_LE(factor.solve(b, 1, support::refined()).backward_error, support::good);
  }
  /// Expects an accurate solution, the inertia of a dense factorization, and delayed columns in
  /// the report of the root, whose number it returns.
  Index expect_delays(DistributedFactor& factor) const {
    expect_solves(factor);
    const Inertia found = factor.inertia();
    EXPECT_EQ((support::Inertia{found.positive, found.negative, found.zero}), inertia_);
    const Report report = factor.report();
    if (!ranks_.is_root()) return 0;
    EXPECT_GT(report.factor.delayed, 0);
    return report.factor.delayed;
  }

  SparseMatrix saddle_ = generate_matrix("stokes2d:12");
  Matrix matrix_ = support::to_matrix(saddle_);
  support::Inertia inertia_ = support::inertia_of(saddle_);
  Index delayed_alone_ = delayed_alone();
  Ranks ranks_{MPI_COMM_WORLD, RuntimeOptions{support::workers_here(), ""}};
};

TEST_F(DelayedPivotsOnRanks, MakeSolutionsAccurateWithEveryMapping) {
  const auto of_matrix = analysis();
  for (const Mapping mapping : support::mappings) {
    SCOPED_TRACE("mapping " + std::to_string(static_cast<int>(mapping)));
    DistributedFactor factor = factor_of(of_matrix, pivoting(mapping));
    ASSERT_TRUE(factor.factorize(roots_matrix()).ok());
    const Index delayed = expect_delays(factor);
    ASSERT_TRUE(factor.factorize(roots_matrix()).ok());
    EXPECT_EQ(expect_delays(factor), delayed) << "the new order stays";
    const Report report = factor.report();
    if (ranks_.is_root()) {
      EXPECT_EQ(report.factor.runs.size(), 2U) << "a repetition is not a separate run";
    }
  }
}

/// Up to pivots that are about as large as the thresholds.
TEST_F(DelayedPivotsOnRanks, AreThoseOfOneProcess) {
  DistributedFactor factor = factor_of(analysis());
  ASSERT_TRUE(factor.factorize(roots_matrix()).ok());
  const Index found = expect_delays(factor);
  EXPECT_NEAR(found, delayed_alone_, delayed_alone_ / 10.0);
}

TEST_F(DelayedPivotsOnRanks, AreNotNeededWithAMatching) {
  AnalysisOptions matching = narrow();
  matching.matching = true;
  DistributedFactor factor = factor_of(analyze(ranks_, roots_matrix(), matching));
  ASSERT_TRUE(factor.factorize(roots_matrix()).ok());
  expect_solves(factor);
  EXPECT_EQ(factor.report().factor.delayed, 0);
}

TEST_F(DelayedPivotsOnRanks, TakeDistributedMatrices) {
  const DistributedMatrix parts = distributed();
  const auto of_parts = analyze(ranks_, parts, narrow());
  for (const bool give_up : {false, true}) {
    DistributedFactor factor = factor_of(of_parts);
    DistributedMatrix given = give_up ? distributed() : parts;
    ASSERT_TRUE((give_up ? factor.factorize(std::move(given)) : factor.factorize(parts)).ok());
    expect_delays(factor);
    ASSERT_TRUE(factor.factorize(parts).ok());
    expect_delays(factor);
  }
}

TEST_F(DelayedPivotsOnRanks, TakeOverTheMatrix) {
  DistributedFactor factor = factor_of(analysis());
  ASSERT_TRUE(factor.factorize(given_matrix()).ok());
  expect_delays(factor);
}

TEST_F(DelayedPivotsOnRanks, EndWithGivenSigns) {
  DistributedFactor factor = factor_of(analysis());
  const Count entries = factor.report().symbolic.nnz_l;
  ASSERT_TRUE(factor.factorize(roots_matrix()).ok());
  expect_delays(factor);
  const std::size_t n = ranks_.is_root() ? static_cast<std::size_t>(matrix_.size()) : 0;
  factor.set_signs(std::vector<signed char>(n, 1));
  std::vector<double> identity(static_cast<std::size_t>(matrix_.entries()), 0);
  for (Index j = 0; j < matrix_.size(); ++j) identity[matrix_.column_begin()[j]] = 1;
  const Matrix definite = matrix_.with_values(std::move(identity));
  ASSERT_TRUE(factor.factorize(ranks_.is_root() ? &definite : nullptr).ok());
  const Report report = factor.report();
  EXPECT_EQ(report.factor.delayed, 0);
  EXPECT_EQ(report.symbolic.nnz_l, entries);
}

/// The limit falls after the first factorization, so that only the repetition does not fit.
TEST_F(DelayedPivotsOnRanks, KeepTheFactorIfTheRepetitionDoesNotFit) {
  auto data = factored();
  data->requested.memory_limit = 1;
  const auto never = [](DistributedFactorData&) -> FactorStatus { throw UsageError("no"); };
  EXPECT_FALSE(delay_pivots(data, never).has_value());
  EXPECT_EQ(data->delayed, 0);
  EXPECT_TRUE(data->state.factored);
  EXPECT_NE(data->state.numeric, nullptr);
}

/// All ranks get the error of a repetition.
TEST_F(DelayedPivotsOnRanks, ThrowTheErrorOfARepetitionOnAllRanks) {
  auto data = factored();
  const Index last = ranks_.size() - 1;
  const auto fail = [&](DistributedFactorData& d) {
    agree(d.ranks.comm, [&] {
      if (d.ranks.comm.rank() == last) throw MemoryError("the last rank is full");
    });
    return FactorStatus();
  };
  support::expect_error<MemoryError>([&] { delay_pivots(data, fail); }, {"the last rank is full"});
}

TEST_F(DelayedPivotsOnRanks, AllocateALostFactorAgain) {
  auto data = factored();
  data->state.numeric.reset();
  replace_factor(data, data->known);
  std::optional<Matrix> given = given_matrix();
  ASSERT_TRUE(data->factorize(given).ok());
  EXPECT_TRUE(
      delay_pivots(data, [&](DistributedFactorData& d) { return d.factorize(given); }).has_value());
  EXPECT_GT(data->delayed, 0);
}

}  // namespace
}  // namespace espalier::internal
