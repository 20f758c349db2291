// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "espalier/starpu.hpp"
#include "runtime/starpu/application.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"

/// Factorizations on handles that choose their pivots.
namespace espalier::internal {
namespace {

using support::Application;
using support::expect_error;
using support::submit_own_task;
using support::Vector;

std::vector<double> values_of(const Matrix& matrix) {
  return {matrix.values().begin(), matrix.values().end()};
}

/// Returns D A D for a diagonal D whose entries are powers of 2 from 1 to 2 to the power `most`.
Matrix graded(const Matrix& matrix, int most) {
  std::vector<double> values = values_of(matrix);
  for (Index j = 0; j < matrix.size(); ++j) {
    for (Count k = matrix.column_begin()[j]; k < matrix.column_begin()[j + 1]; ++k) {
      values[k] = std::ldexp(values[k], matrix.rows()[k] % (most + 1) + j % (most + 1));
    }
  }
  return matrix.with_values(values);
}

class PivotsOnHandles : public testing::TestWithParam<std::tuple<int, const char*>> {
 protected:
  static FactorOptions pivoting() {
    FactorOptions options;
    options.factorization = Factorization::ldlt;
    return options;
  }
  static Analysis analysis_of(const Matrix& matrix) {
    AnalysisOptions options;
    options.matching = true;
    return Analysis(matrix, options);
  }
  std::vector<double> right_hand_side() const {
    return matrix_.multiply(std::vector<double>(static_cast<std::size_t>(matrix_.size()), 1.0));
  }
  /// Expects the solution of a matrix with the factor of arrays, up to rounding errors.
  void expect_solution(const Matrix& matrix, const std::vector<double>& b,
                       const std::vector<double>& x) {
    const std::vector<double> product = matrix.multiply(x);
    double largest = 0;
    for (const double entry : b) largest = std::max(largest, std::abs(entry));
    for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(product[i], b[i], 1e-8 * largest);
  }

  Application application_{"lws", std::get<0>(GetParam())};
  Runtime runtime_ = Runtime::inside_application();
  Matrix matrix_ = Matrix::load(std::get<1>(GetParam())).shifted(0.3);
  Factor factor_{runtime_, analysis_of(matrix_), pivoting()};
};

/// The first task ends only after all submissions, so the test would never end if any of them
/// waited. The scale differs between the steps.
TEST_P(PivotsOnHandles, AreSubmittedAtOnce) {
  const Matrix other = graded(matrix_, 20);
  const Vector values(values_of(matrix_));
  const Vector other_values(values_of(other));
  const Vector b(right_hand_side());
  const Vector x(right_hand_side());
  const Vector y(right_hand_side());
  std::atomic<bool> may_end = false;
  support::submit_gate(values, may_end);
  submit_factorize(factor_, values.handle());
  submit_solve(factor_, b.handle(), x.handle());
  submit_factorize(factor_, other_values.handle());
  submit_solve(factor_, y.handle(), y.handle());
  submit_factorize(factor_, values.handle());
  submit_solve(factor_, b.handle(), b.handle());
  may_end = true;
  ASSERT_TRUE(factor_.wait().ok());
  expect_solution(matrix_, right_hand_side(), x.wait());
  expect_solution(matrix_, right_hand_side(), b.wait());
  expect_solution(other, right_hand_side(), y.wait());
}

TEST_P(PivotsOnHandles, HaveTheInertiaAndTheRefinementOfArrays) {
  Factor expected(runtime_, analysis_of(matrix_), pivoting());
  ASSERT_TRUE(expected.factorize(matrix_).ok());
  const Vector values(values_of(matrix_));
  submit_factorize(factor_, values.handle());
  ASSERT_TRUE(factor_.wait().ok());
  EXPECT_EQ(factor_.inertia().negative, expected.inertia().negative);
  EXPECT_EQ(factor_.inertia().status, expected.inertia().status);
  EXPECT_EQ(factor_.replaced_pivots(), expected.replaced_pivots());
  EXPECT_EQ(factor_.singular_column(), -1);
  support::expect_solves(factor_, matrix_);
}

TEST_P(PivotsOnHandles, MixWithArrays) {
  const Matrix other = graded(matrix_, 20);
  const Vector values(values_of(matrix_));
  const std::vector<double> b = right_hand_side();
  std::vector<double> x(b.size());
  ASSERT_TRUE(factor_.factorize(other).ok());
  submit_factorize(factor_, values.handle());
  factor_.submit_solve(b, x);
  ASSERT_TRUE(factor_.wait().ok());
  expect_solution(matrix_, b, x);
  factor_.submit_factorize(other);
  factor_.submit_solve(b, x);
  ASSERT_TRUE(factor_.wait().ok());
  expect_solution(other, b, x);
}

TEST_P(PivotsOnHandles, TakeSignsAndGiveThemUpForAnotherFactor) {
  const Matrix definite = matrix_.shifted(-100);
  const Vector values(values_of(definite));
  submit_factorize(factor_, values.handle());
  ASSERT_TRUE(factor_.wait().ok());
  EXPECT_EQ(factor_.inertia().negative, 0);
  factor_.set_signs(std::vector<signed char>(static_cast<std::size_t>(matrix_.size()), 1));
  submit_factorize(factor_, values.handle());
  ASSERT_TRUE(factor_.wait().ok());
  support::expect_solves(factor_, definite);
}

TEST_P(PivotsOnHandles, ReportValuesThatAreNotFinite) {
  const Vector values(values_of(matrix_));
  const Vector b(right_hand_side());
  const Vector x(right_hand_side());
  const double right = matrix_.values()[0];
  const auto change = [&](double value) {
    submit_own_task({{values.handle(), STARPU_RW}}, [value](auto data) { data[0][0] = value; });
  };
  change(std::nan(""));
  submit_factorize(factor_, values.handle());
  submit_solve(factor_, b.handle(), x.handle());
  change(right);
  expect_error<InputError>([&] { factor_.wait(); }, {"row 0", "not finite"});
  for (const double entry : x.wait()) ASSERT_TRUE(std::isnan(entry));
  submit_factorize(factor_, values.handle());
  submit_solve(factor_, b.handle(), x.handle());
  ASSERT_TRUE(factor_.wait().ok());
  expect_solution(matrix_, right_hand_side(), x.wait());
}

TEST_P(PivotsOnHandles, AreRefusedWithARegularization) {
  FactorOptions options = pivoting();
  options.regularization = {1e-8, 0, 0, 0};
  Factor factor(runtime_, analysis_of(matrix_), options);
  const Vector values(values_of(matrix_));
  expect_error<UsageError>([&] { submit_factorize(factor, values.handle()); },
                           {"regularization", "signs"});
}

INSTANTIATE_TEST_SUITE_P(Sizes, PivotsOnHandles,
                         testing::Combine(testing::Values(1, 2),
                                          testing::Values("stokes2d:7", "stokes2d:24",
                                                          "laplace3d:14")),
                         [](const auto& info) {
                           std::string name = std::get<1>(info.param);
                           std::ranges::replace(name, ':', '_');
                           return name + "_" + std::to_string(std::get<0>(info.param));
                         });

}  // namespace
}  // namespace espalier::internal
