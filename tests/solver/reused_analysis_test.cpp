// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "espalier/espalier.hpp"
#include "matrix/generators.hpp"
#include "ordering/adjacency.hpp"
#include "ordering/separator_tree.hpp"
#include "solver/data.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;

AnalysisOptions ordered_by(const std::string& ordering, Index workers = 1) {
  AnalysisOptions options;
  options.ordering = ordering;
  options.workers = workers;
  return options;
}

/// Returns the matrix with `added` more entries near the diagonal.
Matrix with_more_entries(const Matrix& matrix, Index added, Index first = 0) {
  const Index n = matrix.size();
  std::vector<Count> begin{0};
  std::vector<Index> row;
  for (Index j = 0; j < n; ++j) {
    const auto rows = matrix.rows().subspan(
        matrix.column_begin()[j], matrix.column_begin()[j + 1] - matrix.column_begin()[j]);
    std::vector<Index> all(rows.begin(), rows.end());
    if (j >= first && j < first + added && j + 2 < n) all.push_back(j + 2);
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    row.insert(row.end(), all.begin(), all.end());
    begin.push_back(std::ssize(row));
  }
  std::vector<double> value(row.size(), 1.0);
  return {std::move(begin), std::move(row), std::move(value)};
}

void expect_same_structure(const Analysis& a, const Analysis& b) {
  EXPECT_TRUE(std::ranges::equal(a.permutation(), b.permutation()));
  EXPECT_EQ(a.factor_entries(), b.factor_entries());
  EXPECT_EQ(a.flops(), b.flops());
  EXPECT_EQ(a.separator_tree().column, b.separator_tree().column);
  EXPECT_EQ(a.separator_tree().part, b.separator_tree().part);
  EXPECT_EQ(Internals::data(a).symbolic.row, Internals::data(b).symbolic.row);
}

TEST(SavedOrdering, GivesTheSameStructure) {
  const support::TemporaryFolder folder;
  for (const char* const spec : {"laplace2d:60", "elasticity3d:6x6x6", "irregular2d:3000"}) {
    const Matrix matrix = Matrix::load(spec);
    for (const char* const ordering : {"dissection", "amd", "metis", "auto", "natural"}) {
      SCOPED_TRACE(std::string(spec) + " " + ordering);
      const Analysis first(matrix, ordered_by(ordering));
      const std::string file = folder.path("order.txt");
      first.save_ordering(file);
      const Analysis again(matrix, ordered_by(file));
      expect_same_structure(first, again);
      EXPECT_EQ(again.report().ordering.method, "file");
    }
  }
}

TEST(SavedOrdering, IsRefusedForAMatrixThatItDoesNotSeparate) {
  const support::TemporaryFolder folder;
  const Matrix matrix = Matrix::load("laplace2d:40");
  const std::string file = folder.path("order.txt");
  Analysis(matrix, ordered_by("dissection")).save_ordering(file);
  const Matrix other = Matrix::load("elasticity3d:4x4x12");
  expect_error<InputError>([&] { Analysis(other, ordered_by(file)); }, {"order.txt"});
  expect_error<InputError>([&] { Analysis(with_more_entries(matrix, 1600), ordered_by(file)); },
                           {"order.txt", "do not separate"});
}

TEST(SeparatorTreeOfAnAnalysis, SeparatesTheMatrix) {
  for (const char* const ordering : {"dissection", "amd", "scotch"}) {
    const Matrix matrix = Matrix::load("laplace3d:12");
    const Analysis analysis(matrix, ordered_by(ordering));
    EXPECT_NO_THROW(check(analysis.separator_tree(), adjacency(*Internals::data(matrix).pattern)));
    EXPECT_EQ(analysis.separator_tree().part.size() > 1, std::string(ordering) == "dissection");
  }
  EXPECT_TRUE(
      Analysis(Matrix::load("laplace2d:9"), ordered_by("natural")).separator_tree().part.empty());
}

TEST(ReusedAnalysis, OfAnEqualPatternIsTheSame) {
  const Matrix matrix = Matrix::load("laplace2d:60");
  const Matrix again = Matrix::load("laplace2d:60");
  for (const char* const ordering : {"dissection", "amd", "natural", "auto"}) {
    SCOPED_TRACE(ordering);
    const Analysis first(matrix, ordered_by(ordering));
    const Analysis second(again, ordered_by(ordering), first);
    expect_same_structure(first, second);
    EXPECT_EQ(second.report().ordering.method, first.report().ordering.method);
  }
}

TEST(ReusedAnalysis, SeparatesAChangedMatrixForAnyNumberOfWorkers) {
  const Matrix matrix = Matrix::load("laplace2d:120");
  const Matrix changed = with_more_entries(matrix, 200, 5000);
  const Analysis previous(matrix, ordered_by("dissection"));
  const Analysis reused(changed, ordered_by("dissection"), previous);
  EXPECT_NO_THROW(check(reused.separator_tree(), adjacency(*Internals::data(changed).pattern)));
  EXPECT_NE(reused.separator_tree().column,
            Analysis(changed, ordered_by("dissection")).separator_tree().column);
  EXPECT_LT(reused.flops(), 1.3 * Analysis(changed, ordered_by("dissection")).flops());
  for (const Index workers : {2, 4}) {
    expect_same_structure(reused, Analysis(changed, ordered_by("dissection", workers), previous));
  }
}

TEST(ReusedAnalysis, IsANewOneIfTooMuchHasChanged) {
  const Matrix matrix = Matrix::load("laplace2d:60");
  const Analysis previous(matrix, ordered_by("dissection"));
  const Analysis minimum_degree(matrix, ordered_by("amd"));
  const Matrix other = with_more_entries(matrix, 3600);
  expect_same_structure(Analysis(other, ordered_by("dissection"), minimum_degree),
                        Analysis(other, ordered_by("dissection")));
  expect_same_structure(Analysis(other, ordered_by("natural"), previous),
                        Analysis(other, ordered_by("natural")));
}

TEST(ReusedAnalysis, FollowsTheNumbersOfColumns) {
  const Matrix matrix = Matrix::load("laplace2d:60");
  const Matrix larger = Matrix::load("laplace2d:61");
  std::vector<Index> previous_of;
  for (Index v = 0; v < 61 * 61; ++v) {
    previous_of.push_back(v % 61 < 60 && v / 61 < 60 ? v / 61 * 60 + v % 61 : -1);
  }
  const Analysis previous(matrix, ordered_by("dissection"));
  const Analysis reused(larger, ordered_by("dissection"), previous, previous_of);
  EXPECT_NO_THROW(check(reused.separator_tree(), adjacency(*Internals::data(larger).pattern)));
  EXPECT_LT(reused.flops(), 1.3 * Analysis(larger, ordered_by("dissection")).flops());
}

TEST(ReusedAnalysis, RefusesWrongNumbersOfColumns) {
  const Matrix matrix = Matrix::load("laplace2d:4");
  const Analysis previous(matrix);
  const auto refused = [&](const Matrix& other, const std::vector<Index>& column,
                           std::initializer_list<std::string> parts) {
    expect_error<UsageError>([&] { Analysis(other, {}, previous, column); }, parts);
  };
  refused(Matrix::load("laplace2d:5"), {}, {"25 columns", "previous one 16", "0 previous columns"});
  std::vector<Index> column(16);
  std::iota(column.begin(), column.end(), 0);
  column[3] = 16;
  refused(matrix, column, {"column 3 is 16", "0 to 15"});
  column[3] = 2;
  refused(matrix, column, {"column 3 is 2", "once"});
  column[3] = -2;
  refused(matrix, column, {"column 3 is -2"});
  column.pop_back();
  refused(matrix, column, {"15 previous columns"});
}

TEST(ReusedAnalysis, KeepsPairsOfColumns) {
  const Matrix matrix = Matrix::load_indefinite("stokes2d:12");
  AnalysisOptions options = ordered_by("dissection");
  options.matching = true;
  const Analysis first(matrix, options);
  expect_same_structure(first, Analysis(matrix, options, first));
}

}  // namespace
}  // namespace espalier::internal
