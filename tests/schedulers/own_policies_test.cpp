// SPDX-License-Identifier: BSD-3-Clause
// What every policy promises; see scheduled_factor.hpp. What one policy alone promises stands in a
// file of its own.

#include "schedulers/own_policies.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "schedulers/scheduled_factor.hpp"

namespace espalier {
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

}  // namespace
}  // namespace espalier
