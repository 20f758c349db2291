// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/own_policies.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace espalier::internal {

namespace {

constexpr std::array all_policies{&espalier_policy, &fanout_policy,    &ktq_policy,
                                  &levelset_policy, &hlevelset_policy, &halo_policy};

std::vector<const starpu_sched_policy*> listed() {
  std::vector<const starpu_sched_policy*> policies;
  for (const OwnPolicy* const policy : all_policies) {
    if (!needs_devices(policy->traits) || devices_expected()) policies.push_back(&policy->starpu);
  }
  policies.push_back(nullptr);
  return policies;
}

}  // namespace

bool devices_expected() {
  const char* const coprocessors = std::getenv("STARPU_TCPIP_MS_SLAVES");
  return coprocessors != nullptr && std::atoi(coprocessors) > 0;
}

std::span<const starpu_sched_policy* const> own_policies() {
  static const std::vector policies = listed();
  return std::span(policies).first(policies.size() - 1);
}

std::vector<std::string> own_policy_names() {
  std::vector<std::string> names;
  for (const starpu_sched_policy* const policy : own_policies()) {
    names.emplace_back(policy->policy_name);
  }
  return names;
}

std::vector<std::string> policies_that_need_devices() {
  std::vector<std::string> names;
  for (const OwnPolicy* const policy : all_policies) {
    if (needs_devices(policy->traits)) names.emplace_back(policy->starpu.policy_name);
  }
  return names;
}

std::span<const OwnPolicy* const> all_own_policies() { return all_policies; }

const OwnPolicy* own_policy(std::string_view name) {
  const auto policy = std::ranges::find_if(
      all_policies, [&](const OwnPolicy* one) { return name == one->starpu.policy_name; });
  return policy != all_policies.end() ? *policy : nullptr;
}

}  // namespace espalier::internal
