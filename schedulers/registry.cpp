// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/registry.hpp"

#include <starpu.h>
#include <starpu_scheduler.h>

#include <algorithm>
#include <cstdlib>

#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

std::vector<SchedulerInfo> known_schedulers() {
  std::vector<SchedulerInfo> known;
  const auto add = [&](const starpu_sched_policy& policy) {
    if (policy.policy_name == nullptr) return;
    const char* const description = policy.policy_description;
    known.push_back({policy.policy_name, description ? description : ""});
  };
  for (const starpu_sched_policy* const policy : own_policies()) add(*policy);
  for (auto** policy = starpu_sched_get_predefined_policies(); *policy != nullptr; ++policy) {
    add(**policy);
  }
  return known;
}

std::string known_scheduler_names() {
  std::string names;
  for (const SchedulerInfo& scheduler : known_schedulers()) {
    names += (names.empty() ? "" : ", ") + scheduler.name;
  }
  return names;
}

std::string resolve_scheduler(const std::string& option) {
  if (!option.empty()) return option;
  const char* const environment = std::getenv("STARPU_SCHED");
  return environment && *environment ? environment : default_scheduler;
}

namespace {

bool is_known(const std::string& name) {
  const auto known = known_schedulers();
  return std::any_of(known.begin(), known.end(),
                     [&](const SchedulerInfo& info) { return info.name == name; });
}

[[noreturn]] void unknown(const std::string& name) {
  if (own_policy(name) != nullptr) {
    throw UnknownScheduler("the scheduler '" + name +
                           "' divides updates between CPUs and devices, but there are no devices; "
                           "add some with --coprocessors or --cuda-devices, or choose one of " +
                           known_scheduler_names());
  }
  std::vector<std::string> names;
  for (const SchedulerInfo& known : known_schedulers()) names.push_back(known.name);
  throw UnknownScheduler("unknown scheduler " + internal::quoted(name) + "; " +
                         did_you_mean(name, names) + "choose one of " + known_scheduler_names());
}

}  // namespace

void expect_known_scheduler(const std::string& name, bool devices) {
  if (std::getenv("STARPU_SCHED_LIB") != nullptr) return;
  if (devices && own_policy(name) != nullptr) return;
  if (!is_known(name)) unknown(name);
}

void verify_scheduler(const std::string& requested, const std::string& active) {
  if (requested == active) return;
  if (!is_known(requested)) unknown(requested);
  throw UnknownScheduler("StarPU runs the scheduler '" + active + "' instead of " +
                         internal::quoted(requested) +
                         ", because STARPU_SCHED takes precedence; unset that variable");
}

}  // namespace espalier::internal
