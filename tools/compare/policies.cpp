// SPDX-License-Identifier: BSD-3-Clause
#include "compare/policies.hpp"

#include <algorithm>

#include "espalier/error.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/registry.hpp"

namespace espalier {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> names_for(const std::string& entry) {
  std::vector<std::string> names;
  if (entry == "own") {
    for (const starpu_sched_policy* policy : own_policies())
      names.emplace_back(policy->policy_name);
  } else if (entry == "all") {
    for (const SchedulerInfo& policy : known_schedulers()) names.push_back(policy.name);
  } else {
    names.push_back(entry);
  }
  return names;
}

/// Throws where the policy is unknown or does not have these options.
PolicyChoice choice_of(const std::string& label) {
  std::vector<std::string> parts = split(label, ':');
  PolicyChoice choice{label, parts.front(), {parts.begin() + 1, parts.end()}};
  if (choice.name.empty()) throw UsageError("--sched names an empty policy; write NAME,NAME,...");
  expect_known_scheduler(choice.name);
  read_policy_settings(choice.name, choice.options);
  return choice;
}

}  // namespace

std::string default_policies() { return "own,lws,prio,eager,dmdas"; }

std::vector<PolicyChoice> parse_policies(std::string_view text) {
  std::vector<PolicyChoice> choices;
  for (const std::string& entry : split(text, ',')) {
    for (const std::string& label : names_for(entry)) {
      const bool repeated = std::any_of(choices.begin(), choices.end(),
                                        [&](const auto& choice) { return choice.label == label; });
      if (repeated) throw UsageError("--sched names " + label + " twice; name it once");
      choices.push_back(choice_of(label));
    }
  }
  return choices;
}

}  // namespace espalier
