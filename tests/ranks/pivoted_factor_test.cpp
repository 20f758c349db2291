// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/factor_data.hpp"
#include "distributed/rank_scaling.hpp"
#include "espalier/mpi.hpp"
#include "matrix/generators.hpp"
#include "plan/memory.hpp"
#include "ranks/parts.hpp"
#include "ranks/whole.hpp"
#include "scaling/equilibration.hpp"
#include "schedulers/registry.hpp"
#include "solver/pivots.hpp"
#include "solver/sample_solver.hpp"
#include "solver/scaled_matrix.hpp"
#include "support/expect.hpp"
#include "support/inertia.hpp"
#include "support/matrices.hpp"
#include "support/tolerance.hpp"

/// Factorizations A = L J Lᵀ on several ranks that choose their pivots.
namespace espalier::internal {
namespace {

using support::rank_here;
using support::ranks_here;
using support::refined;
using support::to_matrix;

FactorOptions pivoting(Granularity granularity = Granularity::automatic,
                       Mapping mapping = Mapping::proportional) {
  FactorOptions options = support::with(granularity);
  options.factorization = Factorization::ldlt;
  options.mapping = mapping;
  return options;
}

/// Returns a matrix with random values. Every `zeros`-th diagonal entry is zero.
SparseMatrix random_indefinite(const char* pattern, Index zeros) {
  return support::indefinite(generate_matrix(pattern), zeros, 5);
}

std::vector<support::NamedMatrix> samples() {
  std::vector<support::NamedMatrix> all;
  for (const char* const name : {"stokes2d:7", "mixed2d:8"}) {
    all.push_back({name, generate_matrix(name)});
  }
  all.push_back({"random, two dimensions", random_indefinite("laplace2d:14", 3)});
  all.push_back({"random, three dimensions", random_indefinite("laplace3d:6", 2)});
  return all;
}

/// The data of the root: a matrix, its analysis in narrow panels, and the result of one process.
struct Question {
  explicit Question(const SparseMatrix& a) {
    if (rank_here() != 0) return;
    matrix = to_matrix(a);
    AnalysisOptions options;
    options.panel_width = 8;
    analysis.emplace(*matrix, options);
    b = support::random_vector(static_cast<std::size_t>(matrix->size()), 3);
  }

  void answer_alone() {
    if (!matrix) return;
    const Runtime runtime(RuntimeOptions{1, ""});
    Factor factor(runtime, *analysis, pivoting());
    ASSERT_TRUE(factor.factorize(*matrix).ok());
    answer = factor.report();
  }
  const Matrix* given_matrix() const { return matrix ? &*matrix : nullptr; }
  const Analysis* given_analysis() const { return analysis ? &*analysis : nullptr; }

  std::optional<Matrix> matrix;
  std::optional<Analysis> analysis;
  std::vector<double> b;
  std::optional<Report> answer;
};

/// Factors and solves. Compares the report of the root with that of one process.
void expect_answer(DistributedFactor& factor, const Question& question) {
  ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
  EXPECT_LE(factor.solve(question.b, 1, refined()).backward_error, support::good);
  const Report report = factor.report();
  if (rank_here() != 0) return;
  const auto& [positive, negative, zero, status] = report.factor.inertia;
  EXPECT_EQ(positive, question.answer->factor.inertia.positive);
  EXPECT_EQ(negative, question.answer->factor.inertia.negative);
  EXPECT_EQ(zero, question.answer->factor.inertia.zero);
  EXPECT_EQ(status, question.answer->factor.inertia.status);
  EXPECT_EQ(report.factor.perturbed_columns, question.answer->factor.perturbed_columns);
  // Rounding errors may change the choice between entries of equal size.
  EXPECT_LE(std::abs(std::log2(report.factor.growth / question.answer->factor.growth)), 1);
}

TEST(PivotedFactorOnRanks, HasTheInertiaOfTheMatrix) {
  for (const auto& [name, a] : samples()) {
    SCOPED_TRACE(name);
    const Question question(a);
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
    DistributedFactor factor(ranks, question.given_analysis(), pivoting());
    ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
    const Report report = factor.report();
    if (!ranks.is_root()) continue;
    const auto& inertia = report.factor.inertia;
    EXPECT_EQ((support::Inertia{inertia.positive, inertia.negative, inertia.zero}),
              support::inertia_of(a));
    EXPECT_EQ(inertia.status, "exact");
  }
}

TEST(PivotedFactorOnRanks, IsThatOfOneProcessWithEveryMapping) {
  for (const auto& [name, a] : samples()) {
    Question question(a);
    question.answer_alone();
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{support::workers_here(), ""});
    for (const Mapping mapping : support::mappings) {
      for (const Granularity granularity : support::all_granularities) {
        SCOPED_TRACE(name + ", mapping " + std::to_string(static_cast<int>(mapping)) +
                     ", granularity " + name_of(granularity));
        DistributedFactor factor(ranks, question.given_analysis(), pivoting(granularity, mapping));
        for (int run = 0; run < 2; ++run) expect_answer(factor, question);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(PivotedFactorOnRanks, IsThatOfOneProcessUnderEveryPolicy) {
  if (ranks_here() != 2) GTEST_SKIP() << "is for two ranks";
  Question question(generate_matrix("stokes2d:7"));
  question.answer_alone();
  for (const SchedulerInfo& policy : known_schedulers()) {
    SCOPED_TRACE(policy.name);
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{2, policy.name});
    DistributedFactor factor(ranks, question.given_analysis(), pivoting());
    for (int run = 0; run < 2; ++run) expect_answer(factor, question);
  }
}

/// Several workers take the pivots of a panel from its tiles at the same time.
TEST(PivotedFactorOnRanks, HasTheSameBitsForEachNumberOfWorkers) {
  const Question question(random_indefinite("laplace2d:14", 3));
  std::optional<std::vector<double>> expected;
  for (const Index workers : {1, 3}) {
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{workers, workers == 1 ? "prio" : "lws"});
    FactorOptions options = pivoting(Granularity::tile);
    options.deterministic = true;
    DistributedFactor factor(ranks, question.given_analysis(), options);
    for (int run = 0; run < 5; ++run) {
      ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
      const std::vector<double> x = factor.solve(question.b).x;
      if (!expected) expected = x;
      EXPECT_EQ(x, *expected) << workers << " workers, run " << run;
    }
  }
}

TEST(PivotedFactorOnRanks, PairsColumnsByAMatching) {
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
  const SparseMatrix a = random_indefinite("laplace3d:6", 3);
  const Question question(a);
  AnalysisOptions options;
  options.matching = true;
  options.panel_width = 8;
  const std::optional<Analysis> analysis = analyze(ranks, question.given_matrix(), options);
  DistributedFactor factor(ranks, analysis ? &*analysis : nullptr, pivoting());
  ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
  EXPECT_LE(factor.solve(question.b, 1, refined()).backward_error, support::good);
  const Report report = factor.report();
  if (!ranks.is_root()) return;
  EXPECT_GT(report.analysis.matched_pairs, 0);
  EXPECT_EQ(report.factor.inertia.negative, support::inertia_of(a)[1]);
}

/// The Laplace matrix of a graph has the eigenvalue 0 once.
TEST(PivotedFactorOnRanks, NamesTheColumnOfAZeroPivot) {
  SparseMatrix a = generate_matrix("laplace2d:9");
  const LowerPattern& pattern = a.pattern;
  std::vector<double> sum(static_cast<std::size_t>(pattern.n));
  for (Index j = 0; j < pattern.n; ++j) {
    for (Count k = pattern.column_begin[j] + 1; k < pattern.column_begin[j + 1]; ++k) {
      sum[j] += a.value[k];
      sum[pattern.row[k]] += a.value[k];
    }
  }
  for (Index j = 0; j < pattern.n; ++j) a.value[pattern.column_begin[j]] = -sum[j];
  const Question question(a);
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
  DistributedFactor factor(ranks, question.given_analysis(), pivoting());
  ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
  const Report report = factor.report();
  std::vector<double> b;
  if (ranks.is_root()) {
    EXPECT_EQ(report.factor.inertia.zero, 1);
    EXPECT_EQ(report.factor.inertia.positive, pattern.n - 1);
    EXPECT_EQ(report.factor.inertia.status, "uncertain");
    ASSERT_EQ(report.factor.perturbed_columns.size(), 1U);
    b.assign(sum.size(), 0);
    b.front() = 1;
    b.back() = -1;
  }
  const Solution solution = factor.solve(b, 1, refined());
  EXPECT_LE(solution.backward_error, support::good);
  if (!ranks.is_root()) return;
  EXPECT_NEAR(solution.x[report.factor.perturbed_columns[0]], 0, 1e-12);
}

/// Results of a factor of one process.
struct Alone {
  Inertia inertia;
  Determinant determinant;
  Index singular_column;
  bool replaced_pivots;
};

Alone alone(const SparseMatrix& a, const FactorOptions& options) {
  const Runtime runtime(RuntimeOptions{1, ""});
  const Matrix matrix = to_matrix(a);
  AnalysisOptions in_panels;
  in_panels.panel_width = 8;
  Factor factor(runtime, Analysis(matrix, in_panels), options);
  EXPECT_TRUE(factor.factorize(matrix).ok());
  return {factor.inertia(), factor.determinant(), factor.singular_column(),
          !factor.replaced_pivots().empty()};
}

/// Expects the numbers of one process on all ranks.
void expect_numbers(const DistributedFactor& factor, const Alone& expected) {
  const Inertia inertia = factor.inertia();
  EXPECT_EQ(inertia.positive, expected.inertia.positive);
  EXPECT_EQ(inertia.negative, expected.inertia.negative);
  EXPECT_EQ(inertia.zero, expected.inertia.zero);
  EXPECT_EQ(inertia.status, expected.inertia.status);
  EXPECT_EQ(factor.singular_column(), expected.singular_column);
  // A replaced pivot is a part of a tiny one, which has rounding errors.
  const double error = expected.replaced_pivots ? 1e-5 : 1e-9;
  const auto [mantissa, exponent] = factor.determinant();
  const auto difference = static_cast<int>(exponent - expected.determinant.exponent);
  EXPECT_NEAR(std::ldexp(mantissa, difference), expected.determinant.mantissa, error);
  const double log = expected.determinant.log();
  if (std::isfinite(log)) {
    EXPECT_NEAR(factor.log_determinant(), log, error);
  } else {
    EXPECT_EQ(factor.log_determinant(), log);
  }
}

TEST(PivotedFactorOnRanks, HasTheInertiaAndTheDeterminantOfOneProcess) {
  const auto expect_of = [](const SparseMatrix& a, const FactorOptions& options) {
    const Alone expected = alone(a, options);
    const Question question(a);
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
    DistributedFactor factor(ranks, question.given_analysis(), options);
    support::expect_error<UsageError>([&] { static_cast<void>(factor.inertia()); },
                                      {"factorize()"});
    support::expect_error<UsageError>([&] { static_cast<void>(factor.singular_column()); },
                                      {"factorize()"});
    support::expect_error<UsageError>([&] { static_cast<void>(factor.log_determinant()); },
                                      {"factorize()"});
    ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
    expect_numbers(factor, expected);
  };
  for (const auto& [name, a] : samples()) {
    for (const Granularity granularity : support::all_granularities) {
      SCOPED_TRACE(name + ", granularity " + name_of(granularity));
      expect_of(a, pivoting(granularity));
    }
  }
  expect_of(generate_matrix("laplace3d:6"), {});
  expect_of({{2, {0, 2, 3}, {0, 1, 1}}, {1, 1, 1}}, pivoting());
  expect_of({{3, {0, 3, 5, 6}, {0, 1, 2, 1, 2, 2}}, {1, 2, 3, 4, 6, 9}}, pivoting());
}

/// Returns the matrix with zeros in the row and the column of this number.
SparseMatrix without_column(SparseMatrix a, Index column) {
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      if (j == column || a.pattern.row[k] == column) a.value[k] = 0;
    }
  }
  return a;
}

/// Until the column of zeros has moved to the root, its pivot is replaced as in regular matrices.
TEST(PivotedFactorOnRanks, NamesAColumnOfASingularMatrix) {
  const SparseMatrix regular = random_indefinite("laplace2d:14", 3);
  for (const bool is_singular : {false, true}) {
    const SparseMatrix a = is_singular ? without_column(regular, 40) : regular;
    const Alone expected = alone(a, pivoting());
    EXPECT_EQ(expected.singular_column, is_singular ? 40 : -1);
    const Question question(a);
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
    DistributedFactor factor(ranks, question.given_analysis(), pivoting());
    ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
    expect_numbers(factor, expected);

    const auto analysis = question.analysis ? Internals::shared(*question.analysis) : nullptr;
    DistributedFactorData undelayed(Internals::data(ranks), analysis, pivoting());
    undelayed.allocate();
    std::optional<Matrix> given = question.matrix;
    ASSERT_TRUE(undelayed.factorize(given).ok());
    EXPECT_GE(undelayed.first_marked(undelayed.state.numeric->context().signs.replaced), 0);
    EXPECT_EQ(undelayed.is_singular(), is_singular);
  }
}

/// Also on ranks without rows.
TEST(PivotedFactorOnRanks, OfSmallMatrices) {
  struct Sample {
    SparseMatrix matrix;
    support::Inertia inertia;
  };
  const Sample all[] = {{{{1, {0, 1}, {0}}, {-3}}, {0, 1, 0}},
                        {{{2, {0, 2, 3}, {0, 1, 1}}, {0, 1, 0}}, {1, 1, 0}},
                        {{{2, {0, 2, 3}, {0, 1, 1}}, {1, 1, 1}}, {1, 0, 1}},
                        {{{3, {0, 3, 5, 6}, {0, 1, 2, 1, 2, 2}}, {1, 2, 3, 4, 6, 9}}, {1, 0, 2}}};
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
  for (const auto& [matrix, expected] : all) {
    const Question question(matrix);
    DistributedFactor factor(ranks, question.given_analysis(), pivoting());
    ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
    const Report report = factor.report();
    if (!ranks.is_root()) continue;
    const auto& inertia = report.factor.inertia;
    EXPECT_EQ((support::Inertia{inertia.positive, inertia.negative, inertia.zero}), expected);
    EXPECT_EQ(report.factor.perturbed, expected[2]);
  }
}

TEST(PivotedFactorOnRanks, TakesDistributedMatrices) {
  const SparseMatrix a = random_indefinite("laplace2d:14", 3);
  Question question(a);
  question.answer_alone();
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
  const auto part = support::triplets_of(a, ranks.rank(), ranks.size());
  const DistributedMatrix matrix(ranks, a.pattern.n, part.row, part.column, part.value);
  DistributedFactor factor(ranks, question.given_analysis(), pivoting());
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_LE(factor.solve(question.b, 1, refined()).backward_error, support::good);
  const Report report = factor.report();
  if (!ranks.is_root()) return;
  EXPECT_EQ(report.factor.inertia.negative, question.answer->factor.inertia.negative);
}

/// The root gathers the values for the matching, so that the analyses have the same bits.
TEST(PivotedFactorOnRanks, MatchesDistributedMatrices) {
  const SparseMatrix a = random_indefinite("laplace3d:6", 3);
  const Question question(a);
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
  const auto part = support::triplets_of(a, ranks.rank(), ranks.size());
  const DistributedMatrix matrix(ranks, a.pattern.n, part.row, part.column, part.value);
  AnalysisOptions options;
  options.matching = ranks.is_root();  // only the options of the root count
  const std::optional<Analysis> whole = analyze(ranks, question.given_matrix(), options);
  const std::optional<Analysis> analysis = analyze(ranks, matrix, options);
  DistributedFactor factor(ranks, analysis ? &*analysis : nullptr, pivoting());
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_LE(factor.solve(question.b, 1, refined()).backward_error, support::good);
  if (!ranks.is_root()) return;
  EXPECT_GT(analysis->report().analysis.matched_pairs, 0);
  EXPECT_EQ(analysis->report().analysis.matched_pairs, whole->report().analysis.matched_pairs);
  EXPECT_EQ(analysis->factor_entries(), whole->factor_entries());
}

TEST(PivotedFactorOnRanks, TakesSignsAfterwards) {
  const SparseMatrix a = generate_matrix("laplace2d:9");
  const Question question(a);
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
  DistributedFactor factor(ranks, question.given_analysis(), pivoting());
  ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
  EXPECT_LE(factor.solve(question.b).backward_error, support::good);
  factor.set_signs(std::vector<signed char>(question.b.size(), 1));
  ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
  EXPECT_LE(factor.solve(question.b).backward_error, support::good);
}

TEST(PivotedFactorOnRanks, PredictsTheMemoryOfPivotsAndOfARepetition) {
  const SparseMatrix a = generate_matrix("laplace2d:9");
  const Question question(a);
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
  const auto predicted = [&](const FactorOptions& options) {
    const DistributedFactor factor(ranks, question.given_analysis(), options);
    return factor.report().symbolic.predicted_peak_bytes;
  };
  const FactorOptions options = pivoting();
  const Count more = predicted(options) - predicted({});
  if (!ranks.is_root()) return;
  EXPECT_GT(more, 0);
  if (ranks.size() > 1) return;
  const Index n = a.pattern.n;
  const Count entries = a.pattern.entries();
  const Count to_repeat =
      structure_bytes(Internals::data(*question.analysis).symbolic) + 12 * entries + 8 * n;
  EXPECT_EQ(more, pivot_bytes(n, options) + scaled_matrix_bytes(n, entries, options) + to_repeat);
}

/// Rows of all ranks get the scales of one process, bit for bit.
TEST(ScaleOnRanks, IsThatOfOneProcess) {
  const Communicator comm(MPI_COMM_WORLD);
  SparseMatrix a = random_indefinite("laplace3d:5", 4);
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      a.value[k] = std::ldexp(a.value[k], a.pattern.row[k] % 37 * 5 - j % 29 * 7);
    }
  }
  const support::Whole whole(a);
  const std::vector<double> expected = equilibration(SparseMatrixView{a.pattern, a.value});
  const auto& old_of = whole.symbolic().permutation.old_of;
  for (const Mapping mapping : support::mappings) {
    const LocalStructure local = whole.part(mapping);
    const PanelEntries entries = whole.entries(local);
    ScaledMatrix scaled;
    scaled.values.resize(a.value.size());
    scale_on_ranks(comm, local, entries, a.value, scaled);
    ASSERT_EQ(std::ssize(scaled.factors), local.n);
    for (Index j = 0; j < local.n; ++j) {
      ASSERT_EQ(scaled.factors[j], expected[old_of[local.column[j]]]);
    }
    for_each_entry(local, entries, [&](Index i, Index j, Count k) {
      ASSERT_EQ(scaled.values[k], a.value[k] * (scaled.factors[i] * scaled.factors[j]));
    });
  }
}

/// One rank has a value that is not finite.
TEST(ScaleOnRanks, KeepsValuesThatAreNotFinite) {
  const Communicator comm(MPI_COMM_WORLD);
  const support::Whole whole(generate_matrix("laplace2d:9"));
  const LocalStructure local = whole.part(Mapping::proportional);
  std::vector<double> values = whole.matrix().value;
  if (comm.rank() + 1 == comm.size()) values[3] = std::numeric_limits<double>::infinity();
  ScaledMatrix scaled;
  scaled.values.resize(values.size());
  scale_on_ranks(comm, local, whole.entries(local), values, scaled);
  EXPECT_EQ(scaled.factors, std::vector<double>(static_cast<std::size_t>(local.n), 1.0));
}

}  // namespace
}  // namespace espalier::internal
