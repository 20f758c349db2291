// SPDX-License-Identifier: BSD-3-Clause
#include "solver/analysis.hpp"

#include <gtest/gtest.h>
#include <starpu.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/work_recorder.hpp"
#include "solver/data.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

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

TEST(Analysis, OfAMatrixWithoutRowsIsEmpty) {
  for (const char* const ordering : {"auto", "dissection", "scotch", "metis", "amd", "natural"}) {
    AnalysisOptions options;
    options.ordering = ordering;
    const Analysis analysis(Matrix({0}, {}, {}), options);
    EXPECT_EQ(analysis.size(), 0);
    EXPECT_EQ(analysis.factor_entries(), 0);
    EXPECT_TRUE(analysis.permutation().empty());
  }
}

}  // namespace
}  // namespace espalier::internal
