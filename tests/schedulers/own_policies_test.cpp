// SPDX-License-Identifier: BSD-3-Clause
// What every policy promises; see scheduled_factor.hpp. What one policy alone promises stands in a
// file of its own.

#include "schedulers/own_policies.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "schedulers/scheduled_factor.hpp"
#include "solver/sample_solver.hpp"
#include "support/environment.hpp"

namespace espalier::internal {
namespace {

std::vector<std::string> own_policy_names() {
  std::vector<std::string> names;
  for (const starpu_sched_policy* const policy : own_policies()) {
    names.emplace_back(policy->policy_name);
  }
  return names;
}

class Promises : public testing::TestWithParam<std::tuple<std::string, Index>> {};

TEST_P(Promises, EachTaskOnceInAnAllowedOrderWithTheFactorOfTheOracle) {
  const auto& [policy, workers] = GetParam();
  int factors = 0;
  support::ScheduledFactors(policy, workers).for_each([&](const auto&, const auto&) { ++factors; });
  EXPECT_GT(factors, 50);
}

INSTANTIATE_TEST_SUITE_P(Policies, Promises,
                         testing::Combine(testing::ValuesIn(own_policy_names()),
                                          testing::Values(1, 2, 4)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

/// Factorizes and solves several times with one factor.
void expect_right_again_and_again(const Runtime& runtime, const std::string& problem,
                                  Granularity granularity) {
  const Matrix matrix = Matrix::load(problem);
  Factor factor(runtime, support::analysis_of(matrix), support::with(granularity));
  for (int time = 0; time < 10; ++time) {
    EXPECT_TRUE(factor.factorize(matrix).ok());
    support::expect_solves(factor, matrix);
  }
}

class TwoFactors : public testing::TestWithParam<std::string> {};

TEST_P(TwoFactors, AreRightInTwoThreadsAtOnce) {
  const support::Watchdog watchdog;
  // With a library of policies halo is not refused where there are no devices.
  const support::Environment library("STARPU_SCHED_LIB", "none");
  const Runtime runtime({.workers = 2, .scheduler = GetParam()});
  EXPECT_EQ(runtime.scheduler(), GetParam());
  std::thread other(
      [&] { expect_right_again_and_again(runtime, "laplace3d:8", Granularity::tile); });
  expect_right_again_and_again(runtime, "laplace2d:20", Granularity::block);
  other.join();
}

INSTANTIATE_TEST_SUITE_P(Policies, TwoFactors,
                         testing::Values("espalier", "fanout", "halo", "ktq", "levelset",
                                         "hlevelset"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace espalier::internal
