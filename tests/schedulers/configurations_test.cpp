// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/configurations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"

namespace espalier::internal {
namespace {

/// Returns the values of the assignments that begin with this prefix.
std::vector<std::string> values_after(std::string_view prefix, const PaperConfiguration& paper) {
  std::vector<std::string> values;
  for (const auto& [assignment, section] : paper.options) {
    if (assignment.starts_with(prefix)) values.emplace_back(assignment.substr(prefix.size()));
  }
  return values;
}

TEST(PaperConfigurations, SetEachOptionOnceAndNameItsSection) {
  for (const PaperConfiguration& paper : paper_configurations()) {
    std::set<std::string_view> names;
    for (const auto& [assignment, section] : paper.options) {
      EXPECT_TRUE(names.insert(assignment.substr(0, assignment.rfind('='))).second) << assignment;
      EXPECT_FALSE(section.empty()) << assignment;
    }
  }
}

TEST(PaperConfigurations, HaveAPolicyOfEspalierWithAllowedOptions) {
  for (const PaperConfiguration& paper : paper_configurations()) {
    const auto policies = values_after("sched=", paper);
    ASSERT_EQ(policies.size(), 1u) << paper.name;
    EXPECT_NE(own_policy(policies[0]), nullptr) << policies[0];
    const auto settings = values_after("sched-option=", paper);
    EXPECT_FALSE(settings.empty()) << paper.name;
    EXPECT_NO_THROW(read_policy_settings(policies[0], settings)) << paper.name;
  }
}

TEST(PaperConfigurations, HaveDifferentPolicies) {
  std::set<std::string> policies;
  for (const PaperConfiguration& paper : paper_configurations()) {
    policies.insert(values_after("sched=", paper).front());
  }
  EXPECT_EQ(policies, (std::set<std::string>{"fanout", "halo", "ktq"}));
}

TEST(PaperConfigurations, AreFoundByName) {
  EXPECT_THAT(paper_configuration_names(), testing::ElementsAre("sympack", "halo", "swcholesky"));
  for (const std::string& name : paper_configuration_names()) {
    EXPECT_EQ(paper_configuration(name).name, name);
  }
  EXPECT_THROW(paper_configuration("sympak"), std::out_of_range);
}

}  // namespace
}  // namespace espalier::internal
