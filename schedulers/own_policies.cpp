// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/own_policies.hpp"

#include <array>

#include "schedulers/espalier.hpp"
#include "schedulers/fanout.hpp"
#include "schedulers/hlevelset.hpp"
#include "schedulers/ktq.hpp"
#include "schedulers/levelset.hpp"

namespace espalier {

std::span<starpu_sched_policy* const> own_policies() {
  static std::array policies{&espalier_policy,  &fanout_policy,
                             &ktq_policy,       &levelset_policy,
                             &hlevelset_policy, static_cast<starpu_sched_policy*>(nullptr)};
  return std::span(policies).first(policies.size() - 1);
}

starpu_sched_policy* own_policy(std::string_view name) {
  for (starpu_sched_policy* const policy : own_policies()) {
    if (name == policy->policy_name) return policy;
  }
  return nullptr;
}

}  // namespace espalier
