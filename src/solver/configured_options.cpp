// SPDX-License-Identifier: BSD-3-Clause
#include "solver/configured_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "schedulers/configurations.hpp"

namespace espalier::internal {

namespace {

constexpr std::string_view policy = "sched=";
constexpr std::string_view policy_setting = "sched-option=";

/// Returns the part of an assignment that names the option: "ordering", "sched-option=fuse".
std::string_view name_in(std::string_view assignment) {
  const std::size_t from = assignment.starts_with(policy_setting) ? policy_setting.size() : 0;
  return assignment.substr(0, assignment.find('=', from));
}

/// Returns the assignment that a user has made of the same option, or null.
const std::string* given_instead(const Options& options, std::string_view assignment) {
  const auto found = std::ranges::find_if(options.given, [&](const std::string& given) {
    return name_in(given) == name_in(assignment);
  });
  return found != options.given.end() ? &*found : nullptr;
}

/// Returns whether the user has set the option to another value.
bool is_overridden(const Options& options, std::string_view assignment) {
  const std::string* const given = given_instead(options, assignment);
  return given != nullptr && *given != assignment;
}

void assign(std::string_view assignment, Options& options) {
  const std::size_t equals = assignment.find('=');
  option_row(assignment.substr(0, equals))
      .assign(std::string(assignment.substr(equals + 1)), options);
}

/// Sets the options that are not options of the policy.
void assign_options(const PaperConfiguration& configuration, Options& options) {
  for (const auto& [assignment, section] : configuration.options) {
    const bool of_policy = assignment.starts_with(policy_setting);
    if (of_policy || given_instead(options, assignment) != nullptr) continue;
    assign(assignment, options);
  }
}

/// Sets the options of the policy, if this policy will run. They come before those of the user,
/// because the last value of an option counts.
void assign_policy_settings(const PaperConfiguration& configuration, Options& options) {
  std::vector<std::string> own = std::exchange(options.runtime.scheduler_options, {});
  const bool runs = std::ranges::none_of(configuration.options, [&](const auto& option) {
    return option.assignment.starts_with(policy) && is_overridden(options, option.assignment);
  });
  for (const auto& [assignment, section] : configuration.options) {
    if (!assignment.starts_with(policy_setting)) continue;
    const std::string* const given = given_instead(options, assignment);
    std::erase(own, assignment.substr(policy_setting.size()));
    if (given != nullptr ? *given == assignment : runs) assign(assignment, options);
  }
  std::ranges::move(own, std::back_inserter(options.runtime.scheduler_options));
}

/// Lists the options that differ from the configuration, without "sched-option=".
void list_overridden(const PaperConfiguration& configuration, Options& options) {
  std::vector<std::string>& overridden = options.analysis.configuration.overridden;
  overridden.clear();
  for (const PrescribedOption& option : configuration.options) {
    if (!is_overridden(options, option.assignment)) continue;
    const std::string& given = *given_instead(options, option.assignment);
    const bool of_policy = given.starts_with(policy_setting);
    overridden.push_back(of_policy ? given.substr(policy_setting.size()) : given);
  }
}

/// Returns the assignment that a user has just made.
std::string assignment_of(const OptionRow& row, const std::string& text, const Options& options) {
  if (!row.repeated && row.key.empty()) return row.name + "=" + text;
  return std::string(policy_setting) + options.runtime.scheduler_options.back();
}

}  // namespace

void note_given(const OptionRow& row, const std::string& text, Options& options) {
  const std::string assignment = assignment_of(row, text, options);
  const bool begins = row.name == configuration_option;
  if (begins && is_overridden(options, assignment)) {
    throw UsageError(fmt::format("{} and {} contradict each other; choose one configuration",
                                 *given_instead(options, assignment), assignment));
  }
  std::erase_if(options.given,
                [&](const std::string& given) { return name_in(given) == name_in(assignment); });
  options.given.push_back(assignment);
  Configuration& followed = options.analysis.configuration;
  if (followed.name.empty()) return;
  const PaperConfiguration& configuration = paper_configuration(followed.name);
  if (begins) assign_options(configuration, options);
  assign_policy_settings(configuration, options);
  list_overridden(configuration, options);
  followed.granularity = options.factor.granularity;
}

}  // namespace espalier::internal
