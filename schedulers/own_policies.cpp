// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/own_policies.hpp"

#include <starpu_scheduler.h>

#include <cstdlib>

namespace espalier::internal {

namespace {

std::vector<const starpu_sched_policy*> listed() {
  std::vector policies{&espalier_policy, &fanout_policy, &ktq_policy, &levelset_policy,
                       &hlevelset_policy};
  if (devices_expected()) policies.push_back(&halo_policy);
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

const starpu_sched_policy* own_policy(std::string_view name) {
  if (name == halo_policy.policy_name) return &halo_policy;
  for (const starpu_sched_policy* const policy : own_policies()) {
    if (name == policy->policy_name) return policy;
  }
  return nullptr;
}

}  // namespace espalier::internal
