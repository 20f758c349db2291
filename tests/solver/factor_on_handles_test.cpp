// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>
#include <starpu.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "espalier/starpu.hpp"
#include "report/factor_report.hpp"
#include "runtime/starpu/application.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::analysis_of;
using support::Application;
using support::expect_error;
using support::submit_own_task;
using support::Vector;
using support::with;

void expect_near(std::span<const double> actual, std::span<const double> expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], 1e-10 * (1 + std::abs(expected[i])));
  }
}

std::vector<double> values_of(const Matrix& matrix) {
  return {matrix.values().begin(), matrix.values().end()};
}

/// Submits a task that multiplies a vector by a number.
void submit_scaling(const Vector& vector, double by, std::size_t size) {
  submit_own_task({{vector.handle(), STARPU_RW}}, [by, size](auto data) {
    for (std::size_t i = 0; i < size; ++i) data[0][i] *= by;
  });
}

/// A time loop: in each step, tasks of the application scale A and b, and add x to a sum.
class TimeLoop
    : public testing::TestWithParam<std::tuple<std::string, int, Granularity, const char*>> {
 protected:
  static constexpr int steps = 5;

  void submit_step(Factor& factor) {
    submit_scaling(values_, 2, values_.size());
    submit_factorize(factor, values_.handle());
    submit_scaling(b_, 3, b_.size());
    submit_solve(factor, b_.handle(), x_.handle());
    submit_own_task({{x_.handle(), STARPU_R}, {sum_.handle(), STARPU_RW}}, [this](auto data) {
      for (std::size_t i = 0; i < sum_.size(); ++i) data[1][i] += data[0][i];
    });
  }
  /// Computes the same sum with arrays and waits.
  std::vector<double> expected_sum(Factor& factor) const {
    std::vector<double> values = values_of(matrix_);
    std::vector<double> b(sum_.size(), 1.0);
    std::vector<double> sum(sum_.size());
    for (int step = 0; step < steps; ++step) {
      for (double& value : values) value *= 2;
      for (double& entry : b) entry *= 3;
      EXPECT_TRUE(factor.factorize(matrix_.with_values(values)).ok());
      const std::vector<double> x = factor.solve(b).x;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
    }
    return sum;
  }

  Application application_{std::get<0>(GetParam()), std::get<1>(GetParam())};
  Matrix matrix_ = Matrix::load(std::get<3>(GetParam()));
  std::size_t n_ = static_cast<std::size_t>(matrix_.size());
  Vector values_{values_of(matrix_)};
  Vector b_{std::vector<double>(n_, 1.0)};
  Vector x_{std::vector<double>(n_)};
  Vector sum_{std::vector<double>(n_)};
};

/// The first task ends only after all submissions, so the test would never end if any of them
/// waited.
TEST_P(TimeLoop, IsSubmittedAtOnceAndGivesTheResultsOfArrays) {
  const Runtime runtime = Runtime::inside_application();
  Factor factor(runtime, analysis_of(matrix_), with(std::get<2>(GetParam())));
  std::atomic<bool> may_end = false;
  support::submit_gate(values_, may_end);
  for (int step = 0; step < steps; ++step) submit_step(factor);
  may_end = true;
  EXPECT_TRUE(factor.wait().ok());
  const std::vector<double> sum = sum_.wait();
  expect_near(sum, expected_sum(factor));
}

const auto policies =
    testing::Values("espalier", "fanout", "ktq", "levelset", "hlevelset", "dmdas", "lws", "prio");

std::string name_of_loop(const testing::TestParamInfo<TimeLoop::ParamType>& info) {
  return std::get<0>(info.param) + std::to_string(std::get<1>(info.param)) +
         name_of(std::get<2>(info.param));
}

/// A solve is one task of StarPU. A factorization of automatic granularity is also one task.
INSTANTIATE_TEST_SUITE_P(Small, TimeLoop,
                         testing::Combine(policies, testing::Values(1, 2),
                                          testing::ValuesIn(support::all_granularities),
                                          testing::Values("laplace3d:7")),
                         name_of_loop);
/// Factorizations and solves have many tasks.
INSTANTIATE_TEST_SUITE_P(Large, TimeLoop,
                         testing::Combine(policies, testing::Values(2),
                                          testing::Values(Granularity::automatic),
                                          testing::Values("laplace3d:18")),
                         name_of_loop);

/// A factor on an application's StarPU. `workers` decides whether the tasks of a solve are one task
/// of StarPU, and the size of the problem whether those of a factorization are.
class OnHandles : public testing::TestWithParam<std::tuple<int, const char*>> {
 protected:
  Index n() const { return matrix_.size(); }
  Vector vectors(Index count, double first = 0) const {
    std::vector<double> entries(static_cast<std::size_t>(n()) * count);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = first + std::cos(i);
    return Vector(std::move(entries));
  }
  /// Returns A⁻¹ b, computed from arrays by another factor.
  std::vector<double> solved(const std::vector<double>& b, Index count) const {
    Factor factor(runtime_, analysis_);
    EXPECT_TRUE(factor.factorize(matrix_).ok());
    return factor.solve(b, count).x;
  }
  void expect_solves_blocks(Index count) {
    const Vector b = vectors(count);
    const Vector x = vectors(count);
    submit_factorize(factor_, values_.handle());
    submit_solve(factor_, b.handle(), x.handle(), count);
    submit_solve(factor_, b.handle(), b.handle(), count);
    ASSERT_TRUE(factor_.wait().ok());
    const std::vector<double> expected = solved(vectors(count).wait(), count);
    expect_near(x.wait(), expected);
    expect_near(b.wait(), expected);
  }

  Application application_{"lws", std::get<0>(GetParam())};
  Runtime runtime_ = Runtime::inside_application();
  Matrix matrix_ = Matrix::load(std::get<1>(GetParam()));
  Analysis analysis_ = analysis_of(matrix_);
  Factor factor_{runtime_, analysis_, with(Granularity::automatic)};
  Vector values_{values_of(matrix_)};
};

TEST_P(OnHandles, SolvesOneVector) { expect_solves_blocks(1); }
TEST_P(OnHandles, SolvesSeveralVectors) { expect_solves_blocks(3); }
TEST_P(OnHandles, SolvesMoreVectorsThanABlockHas) { expect_solves_blocks(70); }

TEST_P(OnHandles, SolvesWithOtherNumbersOfVectorsWhileTasksArePending) {
  const Vector one = vectors(1);
  const Vector four = vectors(4);
  const Vector again = vectors(1);
  std::atomic<bool> may_end = false;
  support::submit_gate(values_, may_end);
  submit_factorize(factor_, values_.handle());
  submit_solve(factor_, one.handle(), one.handle());
  submit_solve(factor_, four.handle(), four.handle(), 4);
  submit_solve(factor_, again.handle(), again.handle());
  may_end = true;
  ASSERT_TRUE(factor_.wait().ok());
  expect_near(one.wait(), solved(vectors(1).wait(), 1));
  expect_near(four.wait(), solved(vectors(4).wait(), 4));
  EXPECT_EQ(again.wait(), one.wait());
}

TEST_P(OnHandles, SolvesInMatricesWithSpaceBetweenColumns) {
  constexpr Index count = 3;
  const Index distance = n() + 5;
  std::vector<double> b(static_cast<std::size_t>(distance) * count, -7.0);
  std::vector<double> x(b);
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < n(); ++i) b[static_cast<std::size_t>(j) * distance + i] = i + j;
  }
  starpu_data_handle_t handle[2];
  const auto add = [&](starpu_data_handle_t& made, std::vector<double>& memory) {
    starpu_matrix_data_register(&made, STARPU_MAIN_RAM,
                                reinterpret_cast<std::uintptr_t>(memory.data()), distance, n(),
                                count, sizeof(double));
  };
  add(handle[0], b);
  add(handle[1], x);
  submit_factorize(factor_, values_.handle());
  submit_solve(factor_, handle[0], handle[1], count);
  ASSERT_TRUE(factor_.wait().ok());
  for (const starpu_data_handle_t made : handle) starpu_data_unregister(made);
  for (Index j = 0; j < count; ++j) {
    const std::size_t begin = static_cast<std::size_t>(j) * distance;
    const std::span<const double> column(x.data() + begin, n());
    expect_near(matrix_.multiply({column.begin(), column.end()}),
                {b.data() + begin, column.size()});
    EXPECT_EQ(x[begin + n()], -7.0) << "outside the columns";
  }
}

TEST_P(OnHandles, MixesWithArrays) {
  const std::vector<double> given = vectors(1).wait();
  const std::vector<double> expected = solved(given, 1);
  const Vector b = vectors(1);
  const Vector x = vectors(1);
  std::vector<double> from_array(given.size());
  std::vector<double> values = values_of(matrix_);
  for (double& value : values) value *= 4;
  for (int repeat = 0; repeat < 3; ++repeat) {
    factor_.submit_factorize(matrix_.with_values(values));  // no other owner keeps these values
    factor_.submit_solve(given, from_array);
    submit_factorize(factor_, values_.handle());
    submit_solve(factor_, b.handle(), x.handle());
    ASSERT_TRUE(factor_.wait().ok());
    expect_near(x.wait(), expected);
    for (double& entry : from_array) entry *= 4;
    expect_near(from_array, expected);
    submit_factorize(factor_, values_.handle());
    factor_.submit_solve(given, from_array);
    submit_solve(factor_, b.handle(), x.handle());
    ASSERT_TRUE(factor_.wait().ok());
    expect_near(from_array, expected);
    expect_near(x.wait(), expected);
  }
}

TEST_P(OnHandles, SolvesOfTheHostRefineWithTheValuesOfTheHandle) {
  submit_factorize(factor_, values_.handle());
  submit_scaling(values_, 0, values_.size());  // the factor has its own copy
  const Solution solution = factor_.solve(vectors(2).wait(), 2);
  EXPECT_LE(solution.backward_error, support::good);
  expect_near(solution.x, solved(vectors(2).wait(), 2));
}

TEST_P(OnHandles, ReportTheFirstFailureAndGoOn) {
  const Vector b = vectors(1);
  const auto diagonal = [&](Index j) { return matrix_.column_begin()[j]; };
  const auto change = [&](Index column, double value) {
    submit_own_task({{values_.handle(), STARPU_RW}},
                    [at = diagonal(column), value](auto data) { data[0][at] = value; });
  };
  const double right = matrix_.values()[diagonal(20)];
  const Vector first = vectors(1);
  const Vector second = vectors(1);
  const Vector last = vectors(1);
  submit_factorize(factor_, values_.handle());
  submit_solve(factor_, b.handle(), first.handle());
  change(20, -1);
  submit_factorize(factor_, values_.handle());
  submit_solve(factor_, b.handle(), second.handle());
  change(10, std::nan(""));
  submit_factorize(factor_, values_.handle());
  change(20, right);
  change(10, matrix_.values()[diagonal(10)]);
  submit_factorize(factor_, values_.handle());
  submit_solve(factor_, b.handle(), last.handle());
  const FactorStatus status = factor_.wait();
  EXPECT_EQ(status.bad_column, 20);
  EXPECT_EQ(status.position, 1);
  const std::vector<double> expected = solved(b.wait(), 1);
  expect_near(first.wait(), expected);
  for (const double entry : second.wait()) ASSERT_TRUE(std::isnan(entry));
  expect_near(last.wait(), expected);
  EXPECT_TRUE(factor_.wait().ok()) << "the failure was reported";
  support::expect_solves(factor_, matrix_);
}

TEST_P(OnHandles, ReportAValueThatIsNotFinite) {
  submit_own_task({{values_.handle(), STARPU_RW}}, [](auto data) { data[0][0] = std::nan(""); });
  submit_factorize(factor_, values_.handle());
  expect_error<InputError>([&] { factor_.wait(); }, {"row 0", "not finite"});
  const Vector b = vectors(1);
  expect_error<UsageError>([&] { submit_solve(factor_, b.handle(), b.handle()); }, {"factorize()"});
  const Vector good(values_of(matrix_));
  submit_factorize(factor_, good.handle());
  EXPECT_TRUE(factor_.wait().ok());
}

TEST_P(OnHandles, AreForgottenByAFactorizationOfTheHost) {
  submit_scaling(values_, -1, values_.size());
  submit_factorize(factor_, values_.handle());
  EXPECT_TRUE(factor_.factorize(matrix_).ok());
  EXPECT_TRUE(factor_.wait().ok());
}

TEST_P(OnHandles, AreRefusedIfTheKindMayChange) {
  FactorOptions options;
  options.factorization = Factorization::automatic;
  Factor factor(runtime_, analysis_, options);
  expect_error<UsageError>([&] { submit_factorize(factor, values_.handle()); },
                           {"factorization=auto", "handles"});
}

TEST_P(OnHandles, UseTheScaleOfAFactorThatHasChosenItsPivots) {
  FactorOptions options;
  options.factorization = Factorization::ldlt;
  Factor factor(runtime_, analysis_, options);
  ASSERT_TRUE(factor.factorize(matrix_).ok());
  for (const Index count : {1, 3}) {
    const Vector b = vectors(count);
    const Vector x = vectors(count);
    submit_solve(factor, b.handle(), x.handle(), count);
    EXPECT_TRUE(factor.wait().ok());
    expect_near(x.wait(), solved(b.wait(), count));
  }
}

/// The end of the factor waits for its tasks.
TEST_P(OnHandles, MayBePendingWhenTheFactorEnds) {
  const Vector b = vectors(1);
  {
    Factor factor(runtime_, analysis_);
    submit_factorize(factor, values_.handle());
    submit_solve(factor, b.handle(), b.handle());
  }
  expect_near(b.wait(), solved(vectors(1).wait(), 1));
}

TEST_P(OnHandles, MayHavePartitionPlans) {
  starpu_data_filter filter{};
  filter.filter_func = starpu_vector_filter_block;
  filter.nchildren = 4;
  starpu_data_handle_t part[4];
  starpu_data_partition_plan(values_.handle(), &filter, part);
  for (const double by : {0.0, 1.0}) {
    for (int k = 0; k < 4; ++k) {
      const std::size_t size = starpu_vector_get_nx(part[k]);
      const double* from = matrix_.values().data();
      for (int before = 0; before < k; ++before) from += starpu_vector_get_nx(part[before]);
      submit_own_task({{part[k], STARPU_W}}, [=](auto data) {
        for (std::size_t i = 0; i < size; ++i) data[0][i] = by * from[i];
      });
    }
    submit_factorize(factor_, values_.handle());
  }
  const FactorStatus status = factor_.wait();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.position, 0);
  support::expect_solves(factor_, matrix_);
  starpu_data_partition_clean(values_.handle(), 4, part);
}

TEST_P(OnHandles, AreRefusedWithAReason) {
  const auto refuse_values = [&](starpu_data_handle_t values, const std::string& reason) {
    expect_error<UsageError>([&] { submit_factorize(factor_, values); }, {"the values", reason});
  };
  const Vector b = vectors(1);
  expect_error<UsageError>([&] { submit_solve(factor_, b.handle(), b.handle()); }, {"factorize()"});
  refuse_values(nullptr, "null");
  refuse_values(b.handle(), std::to_string(matrix_.entries()) + " times 1");
  std::vector<float> floats(values_.size());
  starpu_data_handle_t other = nullptr;
  starpu_vector_data_register(&other, STARPU_MAIN_RAM,
                              reinterpret_cast<std::uintptr_t>(floats.data()), floats.size(),
                              sizeof(float));
  refuse_values(other, "elements of 4 bytes");
  starpu_data_unregister(other);
  double number = 0;
  starpu_variable_data_register(&other, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&number),
                                sizeof number);
  refuse_values(other, "neither a StarPU vector nor");
  starpu_data_unregister(other);
  starpu_data_filter filter{};
  filter.filter_func = starpu_vector_filter_block;
  filter.nchildren = 2;
  starpu_data_partition(values_.handle(), &filter);
  refuse_values(values_.handle(), "partitioned");
  starpu_data_unpartition(values_.handle(), STARPU_MAIN_RAM);
  starpu_data_set_sequential_consistency_flag(values_.handle(), 0);
  refuse_values(values_.handle(), "sequential consistency");
  starpu_data_set_sequential_consistency_flag(values_.handle(), 1);

  submit_factorize(factor_, values_.handle());
  const auto refuse_vectors = [&](starpu_data_handle_t from, starpu_data_handle_t to, Index count,
                                  const std::string& reason) {
    expect_error<UsageError>([&] { submit_solve(factor_, from, to, count); }, {reason});
  };
  refuse_vectors(b.handle(), b.handle(), 0, "count is 0");
  refuse_vectors(nullptr, b.handle(), 1, "the handle of b is null");
  refuse_vectors(b.handle(), nullptr, 1, "the handle of x is null");
  refuse_vectors(b.handle(), b.handle(), 2, "handle of b is a vector of");
  const Vector two = vectors(2);
  refuse_vectors(b.handle(), two.handle(), 1, "handle of x is a vector of");
  starpu_matrix_data_register(&other, STARPU_MAIN_RAM,
                              reinterpret_cast<std::uintptr_t>(two.wait().data()), n() + 1, n() + 1,
                              1, sizeof(double));
  refuse_vectors(other, b.handle(), 1, "nx = " + std::to_string(n() + 1));
  starpu_data_unregister(other);
  EXPECT_TRUE(factor_.wait().ok());
  support::expect_solves(factor_, matrix_);
}

INSTANTIATE_TEST_SUITE_P(Sizes, OnHandles,
                         testing::Combine(testing::Values(1, 2),
                                          testing::Values("laplace2d:7", "laplace2d:60",
                                                          "laplace3d:18")),
                         [](const auto& info) {
                           std::string name = std::get<1>(info.param);
                           std::ranges::replace(name, ':', '_');
                           return name + "_" + std::to_string(std::get<0>(info.param));
                         });

/// Values in the order of the application's arrays, which have both triangles.
TEST(OnHandlesOfFullMatrices, ValuesArePutInOrderAndCompared) {
  const Application application("lws", 2);
  const std::vector<Count> begin{1, 3, 6, 8};
  const std::vector<Index> row{2, 1, 3, 1, 2, 2, 3};
  const std::vector<double> value{-1, 4, -2, -1, 5, -2, 6};
  const Matrix matrix = Matrix::copy(CompressedColumns{.n = 3,
                                                       .column_begin = begin,
                                                       .row = row,
                                                       .value = value,
                                                       .triangle = Triangle::full,
                                                       .base = 1});
  const Runtime runtime = Runtime::inside_application();
  Factor factor(runtime, Analysis(matrix));
  const Vector values(value);
  const Vector b({1, 2, 3});
  const Vector x({0, 0, 0});
  submit_factorize(factor, values.handle());
  submit_solve(factor, b.handle(), x.handle());
  ASSERT_TRUE(factor.wait().ok());
  expect_near(matrix.multiply(x.wait()), b.wait());
  submit_own_task({{values.handle(), STARPU_RW}}, [](auto data) { data[0][0] = -3; });
  submit_factorize(factor, values.handle());
  submit_solve(factor, b.handle(), x.handle());
  expect_error<InputError>([&] { factor.wait(); }, {"entry (2, 1)", "mirror"});
  for (const double entry : x.wait()) EXPECT_TRUE(std::isnan(entry));
}

TEST(OnHandlesOfAPrivateStarpu, NothingIsSubmitted) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:7");
  Factor factor(runtime, Analysis(matrix));
  const Vector values(values_of(matrix));
  const auto expect_refused = [](auto&& submit) {
    expect_error<UsageError>(submit, {"Runtime::inside_application()"});
  };
  expect_refused([&] { submit_factorize(factor, values.handle()); });
  expect_refused([&] { submit_solve(factor, values.handle(), values.handle()); });
}

}  // namespace
}  // namespace espalier::internal
