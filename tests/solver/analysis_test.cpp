// SPDX-License-Identifier: BSD-3-Clause
#include "solver/analysis.hpp"

#include <gtest/gtest.h>
#include <starpu.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/work_recorder.hpp"
#include "matrix/generators.hpp"
#include "solver/data.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::to_matrix;

Count sum(const std::vector<Count>& histogram) {
  return std::accumulate(histogram.begin(), histogram.end(), Count{0});
}

TEST(Analysis, CountsADenseMatrixExactly) {
  const Analysis analysis(to_matrix(support::dense_random(40, 1)));
  EXPECT_EQ(analysis.size(), 40);
  EXPECT_EQ(analysis.factor_entries(), 40 * 41 / 2);
  EXPECT_EQ(analysis.flops(), 40.0 * 41 * 81 / 6) << "the sum of squares";
}

TEST(Analysis, NeedsNoValuesAndNoStarpu) {
  const Analysis pattern(Matrix::load_pattern("laplace2d:20"));
  const Analysis whole(Matrix::load("laplace2d:20"));
  EXPECT_EQ(pattern.factor_entries(), whole.factor_entries());
  EXPECT_EQ(pattern.flops(), whole.flops());
  EXPECT_FALSE(starpu_is_initialized());
}

TEST(Analysis, HasTheStructureOfTheOrderingThatAutoChose) {
  std::set<std::string> chosen;
  for (const char* const spec : {"laplace2d:40", "laplace3d:12", "elasticity3d:5x5x5"}) {
    SCOPED_TRACE(spec);
    const Matrix matrix = Matrix::load(spec);
    AnalysisOptions options;
    options.factorizations = 1'000'000;
    const Analysis automatic(matrix, options);
    options.ordering = automatic.report().ordering.method;
    const Analysis named(matrix, options);
    EXPECT_EQ(automatic.factor_entries(), named.factor_entries());
    EXPECT_EQ(automatic.flops(), named.flops());
    chosen.insert(options.ordering);
  }
  EXPECT_EQ(chosen, (std::set<std::string>{"amd", "dissection"}));
}

TEST(Analysis, IsTheSameWhereItIsRecorded) {
  for (const char* const ordering : {"dissection", "auto", "amd"}) {
    SCOPED_TRACE(ordering);
    const Matrix matrix = Matrix::load("laplace3d:20");
    AnalysisOptions options;
    options.ordering = ordering;
    options.factorizations = 100;
    options.workers = 4;
    const Analysis usual(matrix, options);
    options.record_work = true;
    const Analysis recorded(matrix, options);
    EXPECT_EQ(recorded.factor_entries(), usual.factor_entries());
    EXPECT_EQ(Internals::data(recorded).symbolic.permutation.old_of,
              Internals::data(usual).symbolic.permutation.old_of);
    EXPECT_EQ(usual.report().ordering.work.seconds, 0);
    const WorkReport work = recorded.report().symbolic.work;
    EXPECT_GT(work.span_seconds, 0);
    EXPECT_LT(work.span_seconds, work.seconds);
    EXPECT_EQ(WorkRecorder::current(), nullptr);
  }
}

TEST(Analysis, TakesAPermutationFromAFile) {
  const support::TemporaryFolder folder;
  AnalysisOptions options;
  options.ordering = folder.write("order.txt", "0 1 2 3 4 5 6 7 8 9 10 11");
  options.amalgamation = {{0, 0, 0, 0}, {}};
  const Matrix head_first = to_matrix(support::arrow_head_first(12));
  EXPECT_EQ(Analysis(head_first, options).factor_entries(), 12 * 13 / 2);
  options.ordering = folder.write("backwards.txt", "11 10 9 8 7 6 5 4 3 2 1 0");
  const Analysis backwards(head_first, options);
  EXPECT_EQ(backwards.factor_entries(), 12 + 11);
  EXPECT_EQ(backwards.report().ordering.method, "file");
}

TEST(Analysis, RefusesBadOptionsAndFiles) {
  const Matrix matrix = Matrix::load("laplace2d:4");
  AnalysisOptions options;
  options.panel_width = 3;
  expect_error<UsageError>([&] { Analysis(matrix, options); }, {"panel_width is 3"});
  options = {};
  options.ordering = "/nowhere/order.txt";
  EXPECT_THROW(Analysis(matrix, options), Error);
  const support::TemporaryFolder folder;
  options.ordering = folder.write("short.txt", "0 1 2");
  expect_error<InputError>([&] { Analysis(matrix, options); }, {"short.txt"});
}

TEST(InPanels, HasWhatAnAnalysisWithSuchPanelsHas) {
  const Matrix matrix = Matrix::load("laplace3d:16");
  AnalysisOptions options;
  options.tuned = false;
  const auto given = Internals::shared(Analysis(matrix, options));
  EXPECT_EQ(in_panels_of(given->structure.panel_width, given), given);
  const auto narrow = in_panels_of(48, given);
  options.panel_width = 48;
  const auto expected = Internals::shared(Analysis(matrix, options));
  EXPECT_EQ(narrow->symbolic.panel_begin, expected->symbolic.panel_begin);
  EXPECT_EQ(narrow->symbolic.value_begin, expected->symbolic.value_begin);
  EXPECT_EQ(narrow->report.symbolic.blocks, expected->report.symbolic.blocks);
  EXPECT_EQ(narrow->report.memory.factor_bytes, expected->report.memory.factor_bytes);
  EXPECT_NE(narrow->report.symbolic.blocks, given->report.symbolic.blocks);
  EXPECT_NO_THROW(check(narrow->symbolic));
  EXPECT_EQ(in_panels_of(64, expected), expected) << "the limits were given explicitly";
}

TEST(Analysis, SharesItsStructureBetweenCopies) {
  const Analysis first(Matrix::load("laplace2d:8"));
  const Analysis second = first;  // NOLINT: the copy is tested
  EXPECT_EQ(&Internals::data(first), &Internals::data(second));
}

TEST(Analysis, CountsSupernodesByWidth) {
  for (const auto& problem : support::small_matrices()) {
    const Analysis analysis = support::analysis_of(to_matrix(problem.matrix));
    const std::vector<Count> histogram = analysis.supernode_width_histogram();
    EXPECT_EQ(sum(histogram), analysis.report().symbolic.supernodes) << problem.name;
    const auto& begin = Internals::data(analysis).symbolic.supernode_begin;
    std::vector<Count> expected(histogram.size(), 0);
    for (std::size_t s = 1; s < begin.size(); ++s) {
      std::size_t bin = 0;
      for (Index limit = 1; limit < begin[s] - begin[s - 1]; limit *= 2) ++bin;
      ++expected.at(bin);
    }
    EXPECT_EQ(histogram, expected) << problem.name;
  }
}

TEST(Analysis, CountsTasksByPredictedTime) {
  const Analysis analysis(Matrix::load("laplace2d:130"));
  const std::vector<Count> histogram = analysis.task_time_histogram();
  const auto tasks = analysis.report().tasks;
  EXPECT_EQ(sum(histogram),
            tasks.diagonal + tasks.factor + tasks.update + tasks.subtree + tasks.assemble);
  EXPECT_GT(sum(histogram), 1);
}

TEST(Analysis, ReportsWhatItFound) {
  const Matrix matrix = Matrix::load("laplace2d:20");
  AnalysisOptions options;
  options.ordering = "amd";
  const Analysis analysis(matrix, options);
  const Report report = analysis.report();
  EXPECT_EQ(report.matrix.name, "laplace2d:20");
  EXPECT_EQ(report.matrix.n, 400);
  EXPECT_EQ(report.matrix.nnz_lower, matrix.entries());
  EXPECT_EQ(report.ordering.method, "amd");
  EXPECT_EQ(report.symbolic.nnz_l, analysis.factor_entries());
  EXPECT_EQ(report.symbolic.flops, analysis.flops());
  EXPECT_GT(report.symbolic.supernodes, 0);
  EXPECT_GE(report.symbolic.blocks, report.symbolic.supernodes);
  EXPECT_GT(report.symbolic.predicted_factor_seconds, 0);
  EXPECT_LT(report.symbolic.predicted_factor_seconds, 1);
  EXPECT_GE(report.memory.factor_bytes, 8 * report.symbolic.nnz_l);
  EXPECT_GT(report.symbolic.predicted_peak_bytes, report.memory.factor_bytes);
  EXPECT_GE(report.ordering.seconds, 0);
  EXPECT_GE(report.symbolic.seconds, 0);
}

TEST(Analysis, PredictsAFiniteTimeForEveryProblem) {
  for (const auto& problem : support::solver_problems()) {
    const Report report = Analysis(to_matrix(problem.matrix)).report();
    EXPECT_TRUE(std::isfinite(report.symbolic.predicted_factor_seconds)) << problem.name;
    EXPECT_GT(report.symbolic.predicted_factor_seconds, 0) << problem.name;
  }
}

/// Returns a random saddle point matrix whose constraints have no diagonal.
SparseMatrix random_saddle_point(Index variables, Index constraints, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(0.5, 2);
  std::uniform_int_distribution<Index> variable(0, variables - 1);
  const std::array<double, 3> diagonal{0, 1e-3, 0.5};
  std::vector<support::Entry> entries;
  for (Index i = 0; i < variables; ++i) {
    entries.push_back({i, i, diagonal[i % 3] * value(engine)});
    if (i > 0 && i % 7 != 0) entries.push_back({i, i - 1, 1e-4});
  }
  for (Index c = 0; c < constraints; ++c) {
    const Index row = variables + c;
    entries.push_back({row, row, 0});
    std::set<Index> columns{c % variables};
    while (columns.size() < 3) columns.insert(variable(engine));
    for (const Index column : columns) entries.push_back({row, column, value(engine)});
  }
  return support::from_entries(variables + constraints, entries);
}

/// Expects a row of L for every entry of A.
void expect_entries_in(const SymbolicFactor& symbolic, const LowerPattern& pattern) {
  const std::vector<Index> panel = supernode_of_column(symbolic.panel_begin);
  for (Index j = 0; j < pattern.n; ++j) {
    for (const Index i : pattern.column(j)) {
      const auto [column, row] =
          std::minmax(symbolic.permutation.new_of[i], symbolic.permutation.new_of[j]);
      const auto rows = symbolic.rows(panel[column]);
      EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row)) << row << ", " << column;
    }
  }
}

/// Expects that each column follows its predecessor, or is in the same supernode.
void expect_predecessors_first(const SymbolicFactor& symbolic, const MatchedColumns& matched) {
  const std::vector<Index> supernode = supernode_of_column(symbolic.supernode_begin);
  const auto place = [&](Index j) { return supernode[symbolic.permutation.new_of[j]]; };
  for (Index j = 0; j < symbolic.n; ++j) {
    if (matched.predecessor[j] < 0) continue;
    EXPECT_LE(place(matched.predecessor[j]), place(j)) << j;
  }
}

/// Returns the pairs of an analysis in the numbering of A.
std::set<std::pair<Index, Index>> pairs_of(const AnalysisData& data) {
  std::set<std::pair<Index, Index>> pairs;
  const SymbolicFactor& symbolic = data.symbolic;
  for (Index j = 0; j < symbolic.n; ++j) {
    const auto& old_of = symbolic.permutation.old_of;
    if (symbolic.partner[j] != j) pairs.insert(std::minmax(old_of[j], old_of[symbolic.partner[j]]));
  }
  return pairs;
}

/// Expects a sound structure that has a place for every entry of A, and the pairs of the matching.
void expect_paired(const SparseMatrix& a, const AnalysisOptions& options) {
  const Analysis analysis(to_matrix(a), options);
  const AnalysisData& data = Internals::data(analysis);
  ASSERT_NO_THROW(check(data.symbolic));
  const MatchedColumns matched =
      graph_to_order(a.pattern, options.ordering, weighted_matching(a)).matched;
  std::set<std::pair<Index, Index>> expected;
  for (Index j = 0; j < a.pattern.n; ++j) {
    const Index i = matched.partner[j];
    if (i != j) expected.insert(std::minmax(i, j));
  }
  EXPECT_EQ(pairs_of(data), expected);
  EXPECT_EQ(analysis.report().analysis.matched_pairs, std::ssize(expected));
  expect_entries_in(data.symbolic, a.pattern);
  expect_predecessors_first(data.symbolic, matched);
}

TEST(Matching, KeepsPairsInOnePanel) {
  const support::TemporaryFolder folder;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const SparseMatrix a = random_saddle_point(40 + 30 * static_cast<Index>(seed), 20, seed);
    std::vector<std::string> orderings = support::ordering_names();
    std::string backwards;
    for (Index v = a.pattern.n; v-- > 0;) backwards += std::to_string(v) + " ";
    orderings.push_back(folder.write("backwards.txt", backwards));
    for (const std::string& ordering : orderings) {
      for (const bool refine : {false, true}) {
        for (const Index zeros : {0, 1}) {
          SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << ordering
                                          << (refine ? ", refined" : "") << ", zeros " << zeros);
          AnalysisOptions options;
          options.matching = true;
          options.ordering = ordering;
          options.refine_partition = refine;
          options.panel_width = 8;
          options.narrow_panel_width = 8;
          options.amalgamation = {{2, 4, 1000, 1000}, {1.0, 0.5, 1.0 * zeros, 1.0 * zeros}};
          expect_paired(a, options);
        }
      }
    }
  }
}

TEST(Matching, KeepsPairsOfGeneratedSaddlePoints) {
  for (const char* const spec : {"stokes2d:12", "mixed2d:16"}) {
    for (const Index width : {8, 48, 256}) {
      SCOPED_TRACE(testing::Message() << spec << " in panels of " << width);
      AnalysisOptions options;
      options.matching = true;
      options.panel_width = width;
      options.narrow_panel_width = width;
      expect_paired(generate_matrix(spec), options);
    }
  }
}

TEST(Matching, KeepsPairsInOtherPanels) {
  AnalysisOptions options;
  options.matching = true;
  options.tuned = false;
  const auto given = Internals::shared(Analysis(Matrix::load("stokes2d:40"), options));
  const auto narrow = in_panels_of(8, given);
  EXPECT_GT(narrow->symbolic.panels(), given->symbolic.panels());
  EXPECT_NO_THROW(check(narrow->symbolic));
  EXPECT_EQ(narrow->symbolic.partner, given->symbolic.partner);
}

TEST(Matching, ChangesNothingUnlessAskedFor) {
  const Matrix matrix = Matrix::load("stokes2d:10");
  const Analysis usual(matrix);
  EXPECT_TRUE(Internals::data(usual).symbolic.partner.empty());
  EXPECT_EQ(usual.report().analysis.matched_pairs, -1);
  AnalysisOptions options;
  options.matching = true;
  const Matrix definite = Matrix::load("laplace2d:20");
  const Analysis single(definite, options);
  EXPECT_EQ(single.report().analysis.matched_pairs, 0);
  EXPECT_EQ(single.factor_entries(), Analysis(definite).factor_entries());
}

TEST(Matching, NeedsFiniteValues) {
  AnalysisOptions options;
  options.matching = true;
  expect_error<UsageError>([&] { Analysis(Matrix::load_pattern("stokes2d:4"), options); },
                           {"matching", "the matrix has only a pattern"});
  const Matrix finite = Matrix::load("stokes2d:4");
  std::vector<double> values(finite.values().begin(), finite.values().end());
  values[3] = std::numeric_limits<double>::quiet_NaN();
  expect_error<InputError>([&] { Analysis(finite.borrow_values(values), options); },
                           {"is not finite"});
}

TEST(Analysis, OfAMatrixWithoutRowsIsEmpty) {
  for (const char* const ordering : {"auto", "dissection", "scotch", "metis", "amd", "natural"}) {
    AnalysisOptions options;
    options.ordering = ordering;
    options.matching = true;
    const Analysis analysis(Matrix({0}, {}, {}), options);
    EXPECT_EQ(analysis.size(), 0);
    EXPECT_EQ(analysis.factor_entries(), 0);
    EXPECT_TRUE(analysis.permutation().empty());
  }
}

}  // namespace
}  // namespace espalier::internal
