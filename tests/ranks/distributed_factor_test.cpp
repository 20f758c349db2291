// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "espalier/mpi.hpp"
#include "matrix/generators.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

constexpr double good_error = 1e-13;
constexpr double clock_error = 0.05;  ///< for ranks that share the cores of a machine

class DistributedFactorTest : public testing::Test {
 protected:
  Ranks ranks_{MPI_COMM_WORLD, RuntimeOptions{1, "", {}}};

  /// Returns a value that only the root has.
  template <typename T>
  const T* roots(const std::optional<T>& value) const {
    return value ? &*value : nullptr;
  }

  struct Problem {
    Problem(const Ranks& ranks, const SparseMatrix& a) {
      if (!ranks.is_root()) return;
      matrix = support::to_matrix(a);
      analysis.emplace(*matrix);
    }
    std::optional<Matrix> matrix;
    std::optional<Analysis> analysis;
  };

  static FactorOptions with(Mapping mapping) {
    FactorOptions options;
    options.mapping = mapping;
    return options;
  }

  void expect_solved(DistributedFactor& factor, const Problem& problem, Index count) {
    std::vector<double> b;
    if (ranks_.is_root()) {
      const auto entries = static_cast<std::size_t>(problem.matrix->size()) * count;
      b = problem.matrix->multiply(support::random_vector(entries, 3), count);
    }
    const Solution solution = factor.solve(b, count);
    EXPECT_LT(solution.backward_error, good_error);
    EXPECT_EQ(solution.x.size(), b.size());
    if (ranks_.is_root()) {
      // Checks the solution itself, because the reported error may be wrong.
      const std::vector<double> ax = problem.matrix->multiply(solution.x, count);
      for (std::size_t i = 0; i < b.size(); ++i)
        ASSERT_NEAR(ax[i], b[i], 1e-6 * std::abs(b[i]) + 1e-6);
    }
  }
};

TEST_F(DistributedFactorTest, SolvesWithEveryMapping) {
  for (const support::NamedMatrix& named : support::solver_problems()) {
    // its residuals are large compared with some entries of b
    if (named.name == "badly scaled") continue;
    SCOPED_TRACE(named.name);
    const Problem problem(ranks_, named.matrix);
    for (const Mapping mapping : support::mappings) {
      DistributedFactor factor(ranks_, roots(problem.analysis), with(mapping));
      ASSERT_TRUE(factor.factorize(roots(problem.matrix)).ok());
      expect_solved(factor, problem, 1);
    }
  }
}

TEST_F(DistributedFactorTest, CanBeMoved) {
  const Problem problem(ranks_, support::random_dominant(100, 3, 7));
  DistributedFactor first(ranks_, roots(problem.analysis));
  ASSERT_TRUE(first.factorize(roots(problem.matrix)).ok());
  DistributedFactor factor(std::move(first));
  expect_solved(factor, problem, 1);
  DistributedFactor other(ranks_, roots(problem.analysis));
  other = std::move(factor);
  expect_solved(other, problem, 1);
}

TEST_F(DistributedFactorTest, SolvesForManyRightHandSidesAndForNewValues) {
  const Problem problem(ranks_, support::random_dominant(300, 3, 7));
  DistributedFactor factor(ranks_, roots(problem.analysis));
  ASSERT_TRUE(factor.factorize(roots(problem.matrix)).ok());
  for (const Index count : {3, 70}) expect_solved(factor, problem, count);
  Problem other = problem;
  if (ranks_.is_root()) {
    std::vector<double> values(problem.matrix->values().begin(), problem.matrix->values().end());
    for (double& value : values) value *= 5;
    other.matrix = problem.matrix->with_values(values);
  }
  ASSERT_TRUE(factor.factorize(roots(other.matrix)).ok());
  expect_solved(factor, other, 1);
}

TEST_F(DistributedFactorTest, RefusesAValueThatIsNotFiniteOnAllRanks) {
  const Problem good(ranks_, support::random_dominant(100, 3, 7));
  DistributedFactor factor(ranks_, roots(good.analysis));
  Problem bad = good;
  if (ranks_.is_root()) {
    std::vector<double> values(good.matrix->values().begin(), good.matrix->values().end());
    values.back() = std::nan("");
    bad.matrix = good.matrix->with_values(values);
  }
  EXPECT_THROW(factor.factorize(roots(bad.matrix)), InputError);
  ASSERT_TRUE(factor.factorize(roots(good.matrix)).ok());
  expect_solved(factor, good, 1);
}

/// The pattern is recognized by its hash, even if its matrix no longer exists.
TEST_F(DistributedFactorTest, KnowsThePatternOfAMatrixGivenUp) {
  const SparseMatrix a = support::random_dominant(100, 3, 7);
  std::optional<DistributedFactor> factor;
  {
    Problem first(ranks_, a);
    factor.emplace(ranks_, roots(first.analysis));
    first.analysis.reset();
    ASSERT_TRUE(factor->factorize(std::exchange(first.matrix, std::nullopt)).ok());
  }
  const Problem again(ranks_, a);
  ASSERT_TRUE(factor->factorize(roots(again.matrix)).ok());
  expect_solved(*factor, again, 1);
  const Problem other(ranks_, support::tridiagonal(100));
  EXPECT_THROW(factor->factorize(roots(other.matrix)), UsageError);
}

TEST_F(DistributedFactorTest, FindsTheSameBadColumnOnAllRanks) {
  const SparseMatrix good = support::random_dominant(200, 2, 5);
  for (const Index column : {0, 57, 199}) {
    const Problem problem(ranks_, support::with_bad_column(good, column));
    DistributedFactor factor(ranks_, roots(problem.analysis));
    EXPECT_EQ(factor.factorize(roots(problem.matrix)).bad_column, column);
    EXPECT_THROW(factor.solve({}, 1), UsageError);
    const Report report = factor.report();
    if (ranks_.is_root()) {
      EXPECT_EQ(report.status, "not_positive_definite");
      EXPECT_EQ(report.bad_column, column);
    }
  }
}

TEST_F(DistributedFactorTest, ThrowsOnAllRanksWhatOneThrows) {
  const Problem problem(ranks_, support::tridiagonal(50));
  FactorOptions options = with(Mapping::block_cyclic);
  options.grid = {3, 7};
  EXPECT_THROW(DistributedFactor(ranks_, roots(problem.analysis), options), UsageError);
  options = {};
  options.memory_limit = 1;
  EXPECT_THROW(DistributedFactor(ranks_, roots(problem.analysis), options), MemoryError);
  options.memory_limit = Count{1} << 30;
  EXPECT_NO_THROW(DistributedFactor(ranks_, roots(problem.analysis), options));
  options.memory_beside = Count{1} << 30;
  EXPECT_THROW(DistributedFactor(ranks_, roots(problem.analysis), options), MemoryError);
  EXPECT_THROW(DistributedFactor(ranks_, nullptr), UsageError);
  DistributedFactor factor(ranks_, roots(problem.analysis));
  EXPECT_THROW(factor.solve({}, 1), UsageError);
  EXPECT_THROW(factor.factorize(nullptr), UsageError);
}

TEST_F(DistributedFactorTest, ReportsAllRanksOnTheRoot) {
  const Problem problem(ranks_, support::random_dominant(400, 3, 7));
  DistributedFactor factor(ranks_, roots(problem.analysis));
  ASSERT_TRUE(factor.factorize(roots(problem.matrix)).ok());
  expect_solved(factor, problem, 1);
  const Report report = factor.report();
  if (!ranks_.is_root()) return;
  EXPECT_EQ(report.machine.ranks, ranks_.size());
  EXPECT_EQ(report.machine.cpu_workers, ranks_.size());
  ASSERT_EQ(std::ssize(report.ranks), ranks_.size());
  Count bytes = 0;
  Count messages = 0;
  Count pools = 0;
  double seconds = 0;
  for (const RankReport& rank : report.ranks) {
    pools += rank.window_bytes;
    EXPECT_GT(rank.peak_rss_bytes, 0);
    EXPECT_EQ(rank.host, report.machine.host);
    EXPECT_EQ(rank.cpu_workers, 1);
    EXPECT_EQ(rank.cores.size(), 1u);
    seconds += rank.task_seconds;
    bytes += rank.bytes;
    messages += rank.messages;
  }
  EXPECT_EQ(report.distribution.messages, messages);
  EXPECT_EQ(report.distribution.bytes, bytes);
  EXPECT_EQ(messages == 0, ranks_.size() == 1);
  EXPECT_EQ(pools == 0, ranks_.size() == 1);
  EXPECT_GE(report.distribution.work_imbalance, 1);
  EXPECT_GE(report.distribution.task_imbalance, 1);
  EXPECT_EQ(report.distribution.engine, "StarPU-MPI");
  EXPECT_EQ(report.distribution.mapping, "proportional");
  EXPECT_EQ(report.factor.runs.size(), 1u);
  EXPECT_GT(report.tasks.prediction_error, 0);
  double in_kinds = 0;
  for (const KindReport& kind : report.kinds) in_kinds += kind.seconds;
  double in_widths = 0;
  Count panels = 0;
  for (const WidthReport& width : report.widths) {
    in_widths += width.seconds;
    panels += width.panels;
  }
  EXPECT_NEAR(seconds, in_kinds, 1e-9);
  EXPECT_NEAR(in_widths, in_kinds, 1e-9);
  EXPECT_GE(panels, report.symbolic.supernodes);
  EXPECT_THAT(to_json(report), testing::HasSubstr("\"work_imbalance\""));
}

TEST_F(DistributedFactorTest, TellsWhenTheTasksOfAllRanksRan) {
  const Problem problem(ranks_, generate_matrix("laplace2d:30"));
  DistributedFactor factor(ranks_, roots(problem.analysis));
  EXPECT_TRUE(factor.schedule().tasks.empty());
  for (int run = 0; run < 2; ++run) ASSERT_TRUE(factor.factorize(roots(problem.matrix)).ok());
  const Schedule schedule = factor.schedule();
  const Report report = factor.report();
  if (!ranks_.is_root()) {
    EXPECT_TRUE(schedule.tasks.empty());
    return;
  }
  EXPECT_EQ(schedule.workers, ranks_.size());
  EXPECT_EQ(std::ssize(schedule.first_worker), ranks_.size());
  EXPECT_EQ(schedule.seconds, report.factor.runs.back());
  EXPECT_GT(schedule.critical_path_seconds, 0);
  EXPECT_LE(schedule.idle_seconds, schedule.seconds * schedule.workers);
  std::map<std::string, Count> count;
  std::vector<double> end(schedule.workers, -1.0);
  for (const TaskRun& task : schedule.tasks) {
    ++count[task.kind];
    ASSERT_LT(task.worker, schedule.workers);
    EXPECT_GE(task.begin, end[task.worker]);
    EXPECT_GE(task.row, task.column);
    EXPECT_GE(task.column, 0);
    end[task.worker] = task.end;
  }
  EXPECT_GT(*std::min_element(end.begin(), end.end()), 0);
  EXPECT_LT(*std::max_element(end.begin(), end.end()), schedule.seconds + clock_error);
  EXPECT_EQ(count["diagonal"], report.tasks.diagonal);
  EXPECT_EQ(count["subtree"], report.tasks.subtree);
  EXPECT_EQ(count["reduce"], report.tasks.reduce);
}

}  // namespace
}  // namespace espalier::internal
