// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "espalier/mpi.hpp"
#include "matrix/generators.hpp"
#include "ranks/parts.hpp"
#include "solver/data.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

class RankAnalysisTest : public testing::Test {
 protected:
  DistributedMatrix in_parts(const SparseMatrix& a) const {
    const auto part = support::triplets_of(a, ranks_.rank(), ranks_.size());
    return {ranks_, a.pattern.n, part.row, part.column, part.value};
  }

  std::optional<Analysis> analyze_whole(const SparseMatrix& a, const std::string& ordering) const {
    std::optional<Matrix> matrix;
    if (ranks_.is_root()) matrix = support::to_matrix(a);
    return analyze(ranks_, matrix ? &*matrix : nullptr, options(ordering));
  }
  std::optional<Analysis> analyze_parts(const SparseMatrix& a, const std::string& ordering) const {
    return analyze(ranks_, in_parts(a), options(ordering));
  }

  static AnalysisOptions options(const std::string& ordering) {
    AnalysisOptions options;
    options.ordering = ordering;
    options.workers = 2;
    return options;
  }

  Ranks ranks_{MPI_COMM_WORLD, RuntimeOptions{1, "", {}}};
};

const std::vector<Index>& order_of(const Analysis& analysis) {
  return Internals::data(analysis).symbolic.permutation.old_of;
}

/// Among the matrices are diagonal ones, forests, and matrices with fewer vertices than ranks.
TEST_F(RankAnalysisTest, OrdersEveryMatrixTogether) {
  for (const support::NamedMatrix& named : support::solver_problems()) {
    SCOPED_TRACE(named.name);
    const DistributedMatrix parts = in_parts(named.matrix);
    for (const auto& analysis :
         {analyze_whole(named.matrix, "ptscotch"), analyze_parts(named.matrix, "ptscotch")}) {
      ASSERT_EQ(analysis.has_value(), ranks_.is_root());
      if (analysis) {
        EXPECT_EQ(analysis->report().ordering.method, "ptscotch");
        EXPECT_EQ(analysis->size(), named.matrix.pattern.n);
        EXPECT_NO_THROW(check(Internals::data(*analysis).symbolic.permutation));
      }
      DistributedFactor factor(ranks_, analysis ? &*analysis : nullptr);
      ASSERT_TRUE(factor.factorize(parts).ok());
      const std::vector<double> b(ranks_.is_root() ? named.matrix.pattern.n : 0, 1.0);
      EXPECT_LT(factor.solve(b).backward_error, support::good);
    }
  }
}

TEST_F(RankAnalysisTest, FindsTheSameOrderAgain) {
  for (const char* spec : {"laplace3d:12", "elasticity3d:6x6x6", "irregular2d:2000"}) {
    SCOPED_TRACE(spec);
    const SparseMatrix a = generate_matrix(spec);
    const auto whole = analyze_whole(a, "ptscotch");
    const auto parts = analyze_parts(a, "ptscotch");
    for (int again = 0; again < 3; ++again) {
      const auto second = analyze_whole(a, "ptscotch");
      const auto second_parts = analyze_parts(a, "ptscotch");
      if (!whole) continue;
      EXPECT_EQ(order_of(*second), order_of(*whole));
      EXPECT_EQ(order_of(*second_parts), order_of(*parts));
    }
  }
}

TEST_F(RankAnalysisTest, HasLittleFill) {
  for (const char* spec : {"laplace3d:12", "laplace2d:40", "elasticity3d:6x6x6"}) {
    SCOPED_TRACE(spec);
    const SparseMatrix a = generate_matrix(spec);
    const auto alone = analyze_whole(a, "scotch");
    const auto together = analyze_whole(a, "ptscotch");
    const auto parts = analyze_parts(a, "ptscotch");
    if (!ranks_.is_root()) continue;
    for (const auto& analysis : {together, parts}) {
      EXPECT_LT(static_cast<double>(analysis->factor_entries()), 1.4 * alone->factor_entries());
    }
  }
}

TEST_F(RankAnalysisTest, LeavesOtherOrderingsToTheRoot) {
  const SparseMatrix a = generate_matrix("laplace2d:12");
  for (const std::string& ordering : support::ordering_names()) {
    for (const auto& analysis : {analyze_whole(a, ordering), analyze_parts(a, ordering)}) {
      ASSERT_EQ(analysis.has_value(), ranks_.is_root());
      if (!analysis) continue;
      AnalysisOptions unrefined = options(ordering);
      unrefined.refine_partition = false;
      const Analysis expected(support::to_matrix(a), unrefined);
      EXPECT_EQ(order_of(*analysis), order_of(expected));
      EXPECT_EQ(analysis->factor_entries(), expected.factor_entries());
      EXPECT_EQ(analysis->flops(), expected.flops());
      EXPECT_EQ(analysis->supernode_width_histogram(), expected.supernode_width_histogram());
      EXPECT_EQ(analysis->report().memory.factor_bytes, expected.report().memory.factor_bytes);
      EXPECT_TRUE(Internals::data(*analysis).symbolic.row.empty());
      EXPECT_EQ(analysis->report().ordering.method, expected.report().ordering.method);
    }
  }
}

TEST_F(RankAnalysisTest, IsForRanksAlone) {
  const auto analysis = analyze_whole(generate_matrix("laplace2d:12"), "amd");
  if (!analysis) return;
  support::expect_error<UsageError>([&] { static_cast<void>(analysis->task_time_histogram()); },
                                    {"for several ranks"});
}

TEST_F(RankAnalysisTest, RefusesOnAllRanksWhatOneDoes) {
  const SparseMatrix a = generate_matrix("laplace2d:5");
  support::expect_error<UsageError>([&] { analyze_whole(a, "crumb"); }, {"crumb", "ptscotch"});
  support::expect_error<UsageError>([&] { analyze_parts(a, "crumb"); }, {"crumb", "ptscotch"});
  support::expect_error<UsageError>([&] { analyze(ranks_, nullptr); }, {"rank 0"});
  AnalysisOptions matching;
  matching.matching = true;
  matching.ordering = "ptscotch";
  const Matrix matrix = support::to_matrix(a);
  const Matrix* const on_root = ranks_.is_root() ? &matrix : nullptr;
  support::expect_error<UsageError>([&] { analyze(ranks_, on_root, matching); },
                                    {"ptscotch", "matching"});
}

TEST_F(RankAnalysisTest, PrintsNothing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const support::NamedMatrix& named : support::solver_problems()) {
    analyze_whole(named.matrix, "ptscotch");
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace espalier::internal
