// SPDX-License-Identifier: BSD-3-Clause
#include "compare/policies.hpp"

#include "espalier/error.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/registry.hpp"
#include "support/expect_error.hpp"

namespace espalier {
namespace {

using support::expect_error;

TEST(ParsePolicies, TakesNamesWithOptions) {
  const auto policies = parse_policies("lws,fanout:steal=1:ready_order=fifo,fanout");
  ASSERT_EQ(policies.size(), 3u);
  EXPECT_EQ(policies[0].name, "lws");
  EXPECT_EQ(policies[1].label, "fanout:steal=1:ready_order=fifo");
  EXPECT_EQ(policies[1].name, "fanout");
  EXPECT_THAT(policies[1].options, testing::ElementsAre("steal=1", "ready_order=fifo"));
  EXPECT_TRUE(policies[2].options.empty());
}

TEST(ParsePolicies, KnowsGroups) {
  EXPECT_EQ(parse_policies("own").size(), own_policies().size());
  EXPECT_EQ(parse_policies("all").size(), known_schedulers().size());
  EXPECT_EQ(parse_policies(default_policies()).size(), own_policies().size() + 4);
}

TEST(ParsePolicies, RefusesWhatIsWrong) {
  expect_error<UnknownScheduler>([] { parse_policies("lws,nosuch"); }, {"nosuch", "fanout"});
  expect_error<UsageError>([] { parse_policies(""); }, {"empty"});
  expect_error<UsageError>([] { parse_policies("lws,"); }, {"empty"});
  expect_error<UsageError>([] { parse_policies("own,fanout"); }, {"fanout twice"});
  expect_error<UsageError>([] { parse_policies("fanout:nosuch=1"); }, {"nosuch"});
  expect_error<UsageError>([] { parse_policies("lws:steal=1"); }, {"steal"});
}

}  // namespace
}  // namespace espalier
