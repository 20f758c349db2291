// SPDX-License-Identifier: BSD-3-Clause

#include "compare/comparison.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "espalier/error.hpp"
#include "schedulers/configurations.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/registry.hpp"

namespace espalier::internal {

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

const std::string configuration_prefix = std::string(configuration_option) + "=";

std::vector<std::string> names_for(const std::string& entry, bool devices) {
  std::vector<std::string> names;
  const bool unlisted = devices && !devices_expected();
  if (unlisted && (entry == "own" || entry == "all")) names = policies_that_need_devices();
  if (entry == "own") {
    std::ranges::move(own_policy_names(), std::back_inserter(names));
  } else if (entry == "all") {
    for (const SchedulerInfo& policy : known_schedulers()) names.push_back(policy.name);
  } else {
    names.push_back(entry);
  }
  return names;
}

/// Reads a policy with its options. A part without "=" belongs to the value before it, as in
/// halo=static0:0.5. Throws if the policy is unknown or does not have these options.
PolicyChoice choice_of(const std::string& label, bool devices) {
  const std::vector<std::string> parts = split(label, ':');
  PolicyChoice choice{label, parts.front(), {}};
  for (const std::string& part : std::span(parts).subspan(1)) {
    if (choice.options.empty() || part.find('=') != std::string::npos) {
      choice.options.push_back(part);
    } else {
      choice.options.back() += ":" + part;
    }
  }
  if (choice.name.empty()) throw UsageError("--sched names an empty policy; write NAME,NAME,...");
  if (choice.name.starts_with(configuration_prefix)) {
    choice.configuration = choice.name.substr(configuration_prefix.size());
  }
  Options run;
  choice.set_in(run);
  choice.name = run.runtime.scheduler;
  expect_known_scheduler(choice.name, devices);
  read_policy_settings(choice.name, run.runtime.scheduler_options);
  return choice;
}

}  // namespace

void PolicyChoice::set_in(Options& run) const {
  if (configuration.empty()) {
    run.set("sched", name);
  } else {
    run.set(configuration_option, configuration);
  }
  for (const std::string& option : options) run.set("sched-option", option);
}

std::vector<std::string> PolicyChoice::words() const {
  std::vector<std::string> words{"--sched", name};
  if (!configuration.empty()) words = {"--" + std::string(configuration_option), configuration};
  for (const std::string& option : options) words.insert(words.end(), {"--sched-option", option});
  return words;
}

std::string default_policies() { return "own,lws,prio,eager,dmdas"; }

std::vector<PolicyChoice> parse_policies(std::string_view text, bool devices) {
  std::vector<PolicyChoice> choices;
  for (const std::string& entry : split(text, ',')) {
    for (const std::string& label : names_for(entry, devices)) {
      const bool repeated = std::any_of(choices.begin(), choices.end(),
                                        [&](const auto& choice) { return choice.label == label; });
      if (repeated) throw UsageError("--sched names " + label + " twice; name it once");
      choices.push_back(choice_of(label, devices));
    }
  }
  return choices;
}

namespace {

std::vector<double> values_of(const std::vector<TimedRun>& runs, double TimedRun::*field) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const TimedRun& run : runs) values.push_back(run.*field);
  return values;
}

Figures figures_of(const PolicyRuns& policy) {
  const std::vector<double> seconds = values_of(policy.runs, &TimedRun::seconds);
  const auto [fastest, slowest] = std::minmax_element(seconds.begin(), seconds.end());
  Figures figures;
  figures.seconds = median(seconds);
  figures.spread = (*slowest - *fastest) / figures.seconds;
  figures.idle_share = median(values_of(policy.runs, &TimedRun::idle_share));
  figures.runtime_share = median(values_of(policy.runs, &TimedRun::runtime_share));
  figures.bound_ratio = figures.seconds / bound_seconds(policy.fastest);
  return figures;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double bound_seconds(const Schedule& schedule) {
  double work = 0;
  for (const TaskRun& task : schedule.tasks) work += task.predicted_seconds;
  return std::max(schedule.critical_path_seconds, work / schedule.workers);
}

TimedRun timed_run(const Schedule& schedule, Index round) {
  const double all = schedule.seconds * schedule.workers;
  return {round, schedule.seconds, schedule.idle_seconds / all, schedule.runtime_seconds / all};
}

double baseline_seconds(const Comparison& comparison) {
  for (const PolicyRuns& policy : comparison.policies) {
    if (!comparison.baseline.empty() && policy.choice.label == comparison.baseline) {
      return median(values_of(policy.runs, &TimedRun::seconds));
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<Figures> figures_of(const Comparison& comparison) {
  std::vector<Figures> all;
  all.reserve(comparison.policies.size());
  for (const PolicyRuns& policy : comparison.policies) all.push_back(figures_of(policy));
  const auto best =
      std::min_element(all.begin(), all.end(),
                       [](const Figures& a, const Figures& b) { return a.seconds < b.seconds; });
  const double smallest = best != all.end() ? best->seconds : 0;
  const double base = baseline_seconds(comparison);
  for (Figures& figures : all) {
    figures.ratio = figures.seconds / smallest;
    figures.to_baseline = figures.seconds / base;
  }
  return all;
}

}  // namespace espalier::internal
