// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/traits.hpp"

#include <gtest/gtest.h>
#include <starpu.h>
#include <starpu_scheduler.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/options.hpp"
#include "schedulers/starpu_policies.hpp"

namespace espalier::internal {
namespace {

PolicyNeeds needs(const char* policy, const std::vector<std::string>& options) {
  return traits_of_policy(policy).needs(read_policy_settings(policy, options));
}

TEST(PolicyTraits, SayWhichTasksOfOwnPoliciesGoToDevices) {
  EXPECT_EQ(traits_of_policy("espalier").devices, DeviceUse::ends_first);
  EXPECT_EQ(traits_of_policy("fanout").devices, DeviceUse::threshold);
  EXPECT_EQ(traits_of_policy("halo").devices, DeviceUse::planned);
  for (const char* policy : {"ktq", "levelset", "hlevelset"}) {
    EXPECT_EQ(traits_of_policy(policy).devices, DeviceUse::any_ready) << policy;
  }
}

TEST(PolicyTraits, LetThePlanLeaveDevicesIdleUnderTheDefaultAlone) {
  EXPECT_TRUE(traits_of_policy("espalier").devices_may_be_idle);
  for (const char* policy : {"fanout", "halo", "ktq", "levelset", "hlevelset", "dmdas", "other"}) {
    EXPECT_FALSE(traits_of_policy(policy).devices_may_be_idle) << policy;
  }
}

TEST(PolicyTraits, LimitTheWidthOfPanels) {
  EXPECT_EQ(traits_of_policy("halo").widest_panel, 0);
  EXPECT_EQ(traits_of_policy("ktq").widest_panel, 512);
  for (const char* policy : {"espalier", "fanout", "levelset", "hlevelset", "dmdas", "other"}) {
    EXPECT_EQ(traits_of_policy(policy).widest_panel, 1024) << policy;
  }
}

TEST(PolicyTraits, HaveTheNeedsOfTheOptions) {
  const LevelOptions levels = needs("hlevelset", {"levels=3", "parts=2"}).levels;
  EXPECT_EQ(levels.levels, 3);
  EXPECT_EQ(levels.parts, 2);
  EXPECT_EQ(levels.groups, 0);
  EXPECT_EQ(needs("ktq", {}).fused_entries, 0);
  EXPECT_EQ(needs("ktq", {"fuse=1", "dpq_size=20"}).fused_entries, 400);
  EXPECT_EQ(needs("ktq", {"fuse=1", "dpq_size=0"}).fused_entries, 1);
  EXPECT_EQ(needs("fanout", {"join=0", "grid=2x2"}).owners.size(), 0);
  for (const char* policy : {"espalier", "halo", "levelset", "lws", "other"}) {
    EXPECT_EQ(traits_of_policy(policy).needs, nullptr) << policy;
  }
}

TEST(PolicyTraits, KnowEveryPolicyOfStarpuAndThoseOfNewerVersions) {
  const std::set<std::string_view> newer{"darts"};  // not in StarPU 1.4.10
  std::set<std::string_view> absent;
  for (const StarpuPolicy& policy : starpu_policies) absent.insert(policy.name);
  for (auto** policy = starpu_sched_get_predefined_policies(); *policy != nullptr; ++policy) {
    const std::string name = (*policy)->policy_name;
    EXPECT_TRUE(std::ranges::count(starpu_policies, name, &StarpuPolicy::name) == 1) << name;
    const bool compares = name.find("dm") != std::string::npos ||  // the deque model
                          name.find("heft") != std::string::npos;
    EXPECT_EQ(traits_of_policy(name).devices,
              compares ? DeviceUse::ends_first : DeviceUse::any_ready)
        << name;
    absent.erase(name);
  }
  EXPECT_TRUE(std::ranges::includes(newer, absent)) << "a policy of this list does not exist";
}

TEST(PolicyTraits, OfUnknownPoliciesAreDefaultsOrDeclared) {
  EXPECT_EQ(traits_of_policy("other").devices, DeviceUse::any_ready);
  EXPECT_EQ(traits_of_policy("other", "mine (devices: ends first)").devices, DeviceUse::ends_first);
  EXPECT_EQ(traits_of_policy("lws", "(devices: ends first)").devices, DeviceUse::any_ready);
}

}  // namespace
}  // namespace espalier::internal
