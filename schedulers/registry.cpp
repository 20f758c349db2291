// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/registry.hpp"

#include <cstdlib>

#include "espalier/error.hpp"

namespace espalier {

std::vector<SchedulerInfo> known_schedulers() {
  std::vector<SchedulerInfo> known;
  for (auto** policy = starpu_sched_get_predefined_policies(); *policy != nullptr; ++policy) {
    if ((*policy)->policy_name == nullptr) continue;
    const char* const description = (*policy)->policy_description;
    known.push_back({(*policy)->policy_name, description ? description : ""});
  }
  return known;
}

starpu_sched_policy* find_scheduler(const std::string& name) {
  for (auto** policy = starpu_sched_get_predefined_policies(); *policy != nullptr; ++policy) {
    if ((*policy)->policy_name != nullptr && name == (*policy)->policy_name) return *policy;
  }
  return nullptr;
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
[[noreturn]] void unknown(const std::string& name) {
  throw UnknownScheduler("unknown scheduler '" + name + "'; choose one of " +
                         known_scheduler_names());
}
}  // namespace

void expect_known_scheduler(const std::string& name) {
  if (std::getenv("STARPU_SCHED_LIB") != nullptr) return;
  if (find_scheduler(name) == nullptr) unknown(name);
}

void verify_scheduler(const std::string& requested, const std::string& active) {
  if (requested != active) unknown(requested);
}

}  // namespace espalier
