// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <starpu_mpi.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/options.hpp"
#include "espalier/starpu_mpi.hpp"
#include "report/factor_report.hpp"
#include "runtime/starpu/application.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::submit_own_task;
using support::Vector;

/// StarPU and StarPU-MPI as an application runs them on all ranks.
class RankApplication {
 public:
  RankApplication(const std::string& scheduler, int workers) {
    starpu_conf conf = support::application_conf(scheduler, workers);
    if (starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, &conf) != 0)
      throw std::runtime_error("StarPU does not start");
    hook_ = starpu_idle_hook_register(let_others_run, nullptr);
  }
  ~RankApplication() {
    starpu_idle_hook_deregister(hook_);
    starpu_mpi_shutdown_comm(MPI_COMM_WORLD);
    if (starpu_is_initialized() != 0) starpu_shutdown();
  }
  RankApplication(const RankApplication&) = delete;
  RankApplication& operator=(const RankApplication&) = delete;

 private:
  static unsigned let_others_run(void* /*unused*/) {
    std::this_thread::yield();
    return 1;
  }
  // Otherwise the workers of all ranks spin on one core, and all progress threads on another.
  const support::Environment workers_{"STARPU_WORKERS_NOBIND", "1"};
  const support::Environment progress_{"STARPU_MPI_NOBIND", "1"};
  // A progress thread that is also a worker sleeps while no message is pending, and leaves tasks of
  // the application undone.
  const support::Environment apart_{"STARPU_MPI_DRIVER_CALL_FREQUENCY", nullptr};
  int hook_ = -1;
};

/// Entries of the columns of A that a rank has.
struct Entries {
  std::vector<Index> row;
  std::vector<Index> column;
  std::vector<double> value;
};

/// Deals the columns to the ranks. If `mixed` is true, the entries come in another order, every
/// third one in two halves.
Entries entries_of_rank(const Matrix& a, const Ranks& ranks, bool mixed) {
  Entries own;
  const auto add = [&](Index row, Index column, double value) {
    own.row.push_back(row);
    own.column.push_back(column);
    own.value.push_back(value);
  };
  for (Index i = 0; i < a.size(); ++i) {
    const Index j = mixed ? a.size() - 1 - i : i;
    if (j % ranks.size() != ranks.rank()) continue;
    for (Count k = a.column_begin()[j]; k < a.column_begin()[j + 1]; ++k) {
      const bool twice = mixed && k % 3 == 0;
      const double value = a.values()[k];
      if (twice) add(a.rows()[k], j, 0.25 * value);
      add(a.rows()[k], j, twice ? 0.75 * value : value);
    }
  }
  return own;
}

/// A factor on all ranks, with handles of the values, and the whole matrix on each rank.
struct RankProblem {
  RankProblem(const Ranks& ranks, const std::string& name, Mapping mapping, bool mixed = false,
              Factorization kind = Factorization::llt)
      : whole(Matrix::load(name)),
        entries(entries_of_rank(whole, ranks, mixed)),
        matrix(ranks, whole.size(), entries.row, entries.column, entries.value),
        factor(made(ranks, matrix, mapping, kind)),
        rows(rows_of_rank(factor)),
        values(entries.value) {}

  static DistributedFactor made(const Ranks& ranks, const DistributedMatrix& matrix,
                                Mapping mapping, Factorization kind) {
    const std::optional<Analysis> analysis = analyze(ranks, matrix);
    FactorOptions options;
    options.mapping = mapping;
    options.factorization = kind;
    return {ranks, analysis ? &*analysis : nullptr, options};
  }
  /// Returns b for `count` right-hand sides in the rows of all ranks.
  std::vector<double> right_hand_sides(Index count) const {
    std::vector<double> b(static_cast<std::size_t>(whole.size()) * count);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + std::cos(i);
    return b;
  }
  /// Returns this rank's rows of whole vectors.
  std::vector<double> part_of(const std::vector<double>& vectors) const {
    std::vector<double> part;
    for (std::size_t first = 0; first < vectors.size(); first += whole.size()) {
      for (const Index row : rows) part.push_back(vectors[first + row]);
    }
    return part;
  }
  /// Returns this rank's rows of A⁻¹ b, which one process computes.
  std::vector<double> expected(Index count) const {
    const Runtime runtime = Runtime::inside_application();
    Factor alone(runtime, Analysis(whole));
    EXPECT_TRUE(alone.factorize(whole).ok());
    return part_of(alone.solve(right_hand_sides(count), count).x);
  }
  void submit_factorize() { espalier::submit_factorize(factor, matrix, values.handle()); }

  Matrix whole;
  Entries entries;
  DistributedMatrix matrix;
  DistributedFactor factor;
  std::vector<Index> rows;
  Vector values;
};

void submit_scaling(const Vector& vector, double by) {
  submit_own_task({{vector.handle(), STARPU_RW}}, [by, size = vector.size()](auto data) {
    for (std::size_t i = 0; i < size; ++i) data[0][i] *= by;
  });
}

void expect_near(std::span<const double> actual, std::span<const double> expected,
                 double factor = 1) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], factor * expected[i], 1e-10 * (1 + std::abs(factor * expected[i])));
  }
}

class TimeLoopOfRanks
    : public testing::TestWithParam<std::tuple<std::string, Mapping, const char*, bool>> {};

/// The first task of each rank ends only after all submissions, so the test would never end if any
/// of them waited for a task.
TEST_P(TimeLoopOfRanks, IsSubmittedAtOnceAndGivesTheResultsOfOneProcess) {
  const auto& [policy, mapping, name, mixed] = GetParam();
  const RankApplication application(policy, 2);
  const Ranks ranks = Ranks::inside_application(MPI_COMM_WORLD);
  RankProblem problem(ranks, name, mapping, mixed);
  const Vector b(problem.part_of(problem.right_hand_sides(1)));
  const Vector x(std::vector<double>(problem.rows.size()));
  const Vector sum(std::vector<double>(problem.rows.size()));
  std::atomic<bool> may_end = false;
  support::submit_gate(problem.values, may_end);
  double factor = 0;
  for (int step = 1; step <= 4; ++step) {
    submit_scaling(problem.values, 2);
    problem.submit_factorize();
    submit_scaling(b, 3);
    submit_solve(problem.factor, b.handle(), x.handle());
    submit_own_task({{x.handle(), STARPU_R}, {sum.handle(), STARPU_RW}},
                    [size = sum.size()](auto data) {
                      for (std::size_t i = 0; i < size; ++i) data[1][i] += data[0][i];
                    });
    factor += std::pow(1.5, step);
  }
  may_end = true;
  EXPECT_TRUE(wait(problem.factor).ok());
  expect_near(sum.wait(), problem.expected(1), factor);
}

INSTANTIATE_TEST_SUITE_P(
    Loops, TimeLoopOfRanks,
    testing::Values(std::tuple("espalier", Mapping::proportional, "laplace3d:7", false),
                    std::tuple("lws", Mapping::proportional, "laplace2d:60", true),
                    std::tuple("dmdas", Mapping::block_cyclic, "laplace3d:7", false),
                    std::tuple("fanout", Mapping::block_cyclic, "laplace2d:40", true),
                    std::tuple("prio", Mapping::proportional, "laplace2d:2", false)));

class OnHandlesOfRanks : public testing::Test {
 protected:
  void submit_solve(const Vector& b, const Vector& x, Index count = 1) {
    espalier::submit_solve(problem_.factor, b.handle(), x.handle(), count);
  }
  Vector vectors(Index count) const {
    return Vector(problem_.part_of(problem_.right_hand_sides(count)));
  }
  /// Changes the value of a diagonal entry in a task, on the rank that has it.
  void change(Index column, double value) {
    for (std::size_t k = 0; k < problem_.entries.row.size(); ++k) {
      if (problem_.entries.row[k] != column || problem_.entries.column[k] != column) continue;
      submit_own_task({{problem_.values.handle(), STARPU_RW}},
                      [k, value](auto data) { data[0][k] = value; });
    }
  }
  /// Returns whether this rank is the last one, and there are several.
  bool is_last() const { return ranks_.size() > 1 && ranks_.rank() == ranks_.size() - 1; }

  RankApplication application_{"lws", 1};
  Ranks ranks_ = Ranks::inside_application(MPI_COMM_WORLD);
  RankProblem problem_{ranks_, "laplace2d:30", Mapping::proportional};
};

TEST_F(OnHandlesOfRanks, EachRowIsOnOneRank) {
  std::vector<int> times(problem_.whole.size());
  for (const Index row : problem_.rows) ++times[row];
  std::vector<int> all(times.size());
  MPI_Allreduce(times.data(), all.data(), static_cast<int>(all.size()), MPI_INT, MPI_SUM,
                MPI_COMM_WORLD);
  EXPECT_EQ(all, std::vector<int>(all.size(), 1));
}

TEST_F(OnHandlesOfRanks, SolvesWithOtherNumbersOfVectorsAndFactorsWhileTasksArePending) {
  RankProblem other(ranks_, "laplace3d:6", Mapping::block_cyclic);
  const Vector of_other(other.part_of(other.right_hand_sides(2)));
  const Vector one = vectors(1);
  const Vector many = vectors(70);
  const Vector again = vectors(1);
  std::atomic<bool> may_end = false;
  support::submit_gate(problem_.values, may_end);
  problem_.submit_factorize();
  submit_solve(one, one);
  other.submit_factorize();
  submit_solve(many, many, 70);
  espalier::submit_solve(other.factor, of_other.handle(), of_other.handle(), 2);
  submit_solve(again, again);
  may_end = true;
  ASSERT_TRUE(wait(problem_.factor).ok());
  ASSERT_TRUE(wait(other.factor).ok());
  expect_near(one.wait(), problem_.expected(1));
  expect_near(many.wait(), problem_.expected(70));
  expect_near(of_other.wait(), other.expected(2));
  EXPECT_EQ(again.wait(), one.wait());
}

TEST_F(OnHandlesOfRanks, MixesWithArrays) {
  std::vector<double> whole_b;
  if (ranks_.is_root()) whole_b = problem_.right_hand_sides(1);
  const Vector b = vectors(1);
  const Vector x = vectors(1);
  const std::vector<double> expected = problem_.expected(1);
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_TRUE(problem_.factor.factorize(problem_.matrix).ok());
    submit_solve(b, x);
    expect_near(x.wait(), expected);
    submit_scaling(problem_.values, 2);
    problem_.submit_factorize();
    const Solution solution = problem_.factor.solve(whole_b);
    EXPECT_LT(solution.backward_error, 1e-13);
    if (ranks_.is_root()) expect_near(problem_.part_of(solution.x), expected, 0.5);
    EXPECT_TRUE(problem_.factor.schedule().tasks.empty()) << "of the host only";
    submit_scaling(problem_.values, 0.5);
    EXPECT_TRUE(wait(problem_.factor).ok());
  }
}

TEST_F(OnHandlesOfRanks, UseTheScaleOfAFactorThatHasChosenItsPivots) {
  RankProblem other(ranks_, "laplace2d:30", Mapping::proportional, false, Factorization::ldlt);
  ASSERT_TRUE(other.factor.factorize(other.matrix).ok());
  for (const Index count : {1, 3}) {
    const Vector b(other.part_of(other.right_hand_sides(count)));
    espalier::submit_solve(other.factor, b.handle(), b.handle(), count);
    expect_near(b.wait(), other.expected(count));
  }
}

TEST_F(OnHandlesOfRanks, UseTheValuesOfAnotherDivision) {
  const Entries mixed = entries_of_rank(problem_.whole, ranks_, true);
  const DistributedMatrix matrix(ranks_, problem_.whole.size(), mixed.row, mixed.column,
                                 mixed.value);
  const Vector values(mixed.value);
  const Vector b = vectors(1);
  problem_.submit_factorize();
  submit_factorize(problem_.factor, matrix, values.handle());
  submit_solve(b, b);
  EXPECT_TRUE(wait(problem_.factor).ok());
  expect_near(b.wait(), problem_.expected(1));
}

TEST_F(OnHandlesOfRanks, ReportTheFirstFailureOnAllRanksAndGoOn) {
  const Vector b = vectors(1);
  const Vector first = vectors(1);
  const Vector second = vectors(1);
  const Vector last = vectors(1);
  const double right = problem_.whole.values()[problem_.whole.column_begin()[20]];
  problem_.submit_factorize();
  submit_solve(b, first);
  change(20, -1);
  problem_.submit_factorize();
  submit_solve(b, second);
  change(20, right);
  problem_.submit_factorize();
  submit_solve(b, last);
  const FactorStatus status = wait(problem_.factor);
  EXPECT_EQ(status.bad_column, 20);
  EXPECT_EQ(status.position, 1);
  expect_near(first.wait(), problem_.expected(1));
  for (const double entry : second.wait()) ASSERT_TRUE(std::isnan(entry));
  expect_near(last.wait(), problem_.expected(1));
  EXPECT_TRUE(wait(problem_.factor).ok()) << "the failure was reported";
}

TEST_F(OnHandlesOfRanks, ReportAValueThatIsNotFinite) {
  change(31, std::nan(""));
  problem_.submit_factorize();
  expect_error<InputError>([&] { wait(problem_.factor); }, {"row 31, column 31", "not finite"});
  const Vector b = vectors(1);
  expect_error<UsageError>([&] { submit_solve(b, b); }, {"factorize()"});
}

TEST_F(OnHandlesOfRanks, AreRefusedOnAllRanksWithAReason) {
  const Vector b = vectors(1);
  expect_error<UsageError>([&] { submit_solve(b, b); }, {"factorize()"});
  const std::string rank = "rank " + std::to_string(ranks_.size() - 1);
  const bool wrong = is_last() || ranks_.size() == 1;
  const Vector short_values(std::vector<double>(3, 1.0));
  const auto with_values = [&](starpu_data_handle_t other) {
    submit_factorize(problem_.factor, problem_.matrix, wrong ? other : problem_.values.handle());
  };
  expect_error<UsageError>([&] { with_values(short_values.handle()); },
                           {"the values of " + rank, "a vector of 3 entries"});
  expect_error<UsageError>([&] { with_values(nullptr); }, {"the values of " + rank, "null"});
  const DistributedMatrix unknown =
      RankProblem(ranks_, "laplace2d:5", Mapping::proportional).matrix;
  const Entries entries = entries_of_rank(Matrix::load("laplace2d:5"), ranks_, false);
  const Vector others(entries.value);
  expect_error<UsageError>([&] { submit_factorize(problem_.factor, unknown, others.handle()); },
                           {"pattern"});
  for (const auto kind : {Factorization::ldlt, Factorization::automatic}) {
    RankProblem other(ranks_, "laplace2d:5", Mapping::proportional, false, kind);
    expect_error<UsageError>([&] { other.submit_factorize(); },
                             {"factorization=" + name_of(kind), "handles"});
  }
  problem_.submit_factorize();
  const auto with_vectors = [&](starpu_data_handle_t from, starpu_data_handle_t to) {
    espalier::submit_solve(problem_.factor, wrong ? from : b.handle(), wrong ? to : b.handle());
  };
  expect_error<UsageError>([&] { with_vectors(short_values.handle(), b.handle()); },
                           {"b of " + rank, "a vector of 3 entries"});
  expect_error<UsageError>([&] { with_vectors(b.handle(), short_values.handle()); },
                           {"x of " + rank, "a vector of 3 entries"});
  expect_error<UsageError>([&] { submit_solve(b, b, 0); }, {"count is 0"});
  submit_solve(b, b);
  EXPECT_TRUE(wait(problem_.factor).ok());
  expect_near(b.wait(), problem_.expected(1));
}

TEST(OnHandlesOfPrivateRanks, NothingIsSubmitted) {
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, "prio"});
  RankProblem problem(ranks, "laplace2d:7", Mapping::proportional);
  expect_error<UsageError>([&] { problem.submit_factorize(); }, {"Ranks::inside_application()"});
}

}  // namespace
}  // namespace espalier::internal
