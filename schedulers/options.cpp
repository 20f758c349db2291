// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/halo_division.hpp"
#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

using Values = PolicyOption::Values;

constexpr double unlimited = 1e18;
constexpr std::string_view entries =
    "minimum size, in entries of the largest operand, for which the operation goes to a device";

constexpr std::array<PolicyOption, 28> all_options{{
    {"grid", "fanout", "auto", "grid of workers that own blocks; auto: the most square one",
     Values::grid, 1, 4096},
    {"ready_order", "fanout", "priority", "order of the ready tasks of a worker", Values::choice, 0,
     0, "fifo lifo priority"},
    {"steal", "fanout", "0", "1: idle workers steal tasks from others", Values::choice, 0, 0,
     "0 1"},
    {"join", "fanout", "1",
     "1: with --granularity block, tasks with one source panel and one owner run as one task, and "
     "blocks of one panel and owner travel as one message",
     Values::choice, 0, 0, "0 1"},
    {"thresholds", "fanout", "auto",
     "rule that sends operations to a device. calibrated: if the device is predicted to finish "
     "them sooner; paper: if they exceed symPACK's sizes; auto: calibrated for measured "
     "operations, paper for the others",
     Values::choice, 0, 0, "auto paper calibrated"},
    {"threshold_potrf", "fanout", "auto", entries, Values::number, 0, unlimited},
    {"threshold_trsm", "fanout", "auto", entries, Values::number, 0, unlimited},
    {"threshold_syrk", "fanout", "auto", entries, Values::number, 0, unlimited},
    {"threshold_gemm", "fanout", "auto", entries, Values::number, 0, unlimited},
    {"threshold_solve_trsm", "fanout", "auto", entries, Values::number, 0, unlimited},
    {"threshold_solve_gemm", "fanout", "auto", entries, Values::number, 0, unlimited},
    {"threshold_foreign", "fanout", "auto",
     "minimum size, in 8-byte entries of its largest data, for which a task of another program "
     "goes to a device",
     Values::number, 0, unlimited},
    {"device_memory", "fanout halo", "auto",
     "maximum bytes of data (fanout) or of shadows (halo) on each device; auto: the free memory "
     "of the device",
     Values::whole_number, 0, unlimited},
    {"device_block", "fanout", "0",
     "minimum size, in bytes, for which a block from another rank is received in device memory",
     Values::whole_number, 0, unlimited},
    {"on_device_full", "fanout", "cpu",
     "action if a task does not fit in device memory: run it on the CPU, or fail", Values::choice,
     0, 0, "cpu fail"},
    {"queues", "ktq", "all", "queues in use", Values::choice, 0, 0, "all inst+dpq dpq"},
    {"limits", "ktq", "time",
     "criterion that chooses the queue of a task: predicted time, or matrix size as in swCholesky",
     Values::choice, 0, 0, "time size"},
    {"inst_us", "ktq", "auto",
     "maximum time, in microseconds, of a task that runs immediately on the worker that released "
     "it",
     Values::number, 0, 1e9},
    {"dpq_us", "ktq", "auto",
     "minimum time, in microseconds, of a task that all workers run together", Values::number, 0,
     1e9},
    {"inst_size", "ktq", "8",
     "with limits=size: maximum matrix size of a task that runs immediately", Values::number, 0,
     unlimited},
    {"dpq_size", "ktq", "128",
     "with limits=size: maximum matrix size of a task that one worker runs", Values::number, 0,
     unlimited},
    {"batch", "ktq", "auto", "number of tasks that a worker takes from the shared queue at a time",
     Values::whole_number, 1, 1000000},
    {"fuse", "ktq", "0",
     "1: one task does the SYRK and the GEMM by a block, if each matrix has at most dpq_size^2 "
     "entries",
     Values::choice, 0, 0, "0 1"},
    {"partitions", "ktq", "none",
     "hlevelset: each w-partition has its own queues; a barrier follows each l-partition",
     Values::choice, 0, 0, "none hlevelset"},
    {"groups", "ktq", "auto",
     "with partitions=hlevelset: number of worker groups; auto: one per level-3 cache or memory",
     Values::whole_number, 1, 4096},
    {"levels", "hlevelset ktq", "auto", "number of tree levels between two barriers",
     Values::whole_number, 1, 1000000},
    {"parts", "hlevelset ktq", "1", "number of w-partitions per worker or worker group",
     Values::whole_number, 1, 1000},
    {"halo", "halo", "mdwin",
     "division of updates between host and devices: by predicted times, or a share of columns",
     Values::division},
}};

/// Sizes of matrices in entries: from those of the smallest blocks to those of the largest panels.
constexpr double few_entries = 1e3;
constexpr double many_entries = 1e8;

constexpr std::array<SearchedOption, 11> all_searched{{
    {"threshold_potrf", few_entries, many_entries, "", true},
    {"threshold_trsm", few_entries, many_entries, "", true},
    {"threshold_syrk", few_entries, many_entries, "", true},
    {"threshold_gemm", few_entries, many_entries, "", true},
    {"inst_us", 1, 500, "limits=time"},
    {"dpq_us", 20, 200000, "limits=time"},
    {"inst_size", 2, 64, "limits=size"},
    {"dpq_size", 16, 2048, "limits=size"},
    {"batch", 1, 256},
    {"parts", 1, 32, "partitions=hlevelset"},
    {"levels", 1, 64, "partitions=hlevelset"},
}};

constexpr std::string_view automatic_value = "auto";

bool contains(std::string_view list, std::string_view word) {
  const auto words = words_of(list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string with_commas(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ", ";
    line += word;
  }
  return line;
}

template <class Number>
std::string digits_of(Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

/// Reads a number that must be all of `text`. Returns false if it is not such a number.
template <class Number>
bool read(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

template <class Number>
bool is_within(std::string_view text, const PolicyOption& option) {
  Number number{};
  if (!read(text, number)) return false;
  const auto value = static_cast<double>(number);
  return option.lowest <= value && value <= option.highest;
}

bool is_allowed(const PolicyOption& option, std::string_view value) {
  if (value == automatic_value) return option.fallback == automatic_value;
  switch (option.values) {
    case Values::number: return is_within<double>(value, option);
    case Values::whole_number: return is_within<long>(value, option);
    case Values::choice: return contains(option.choices, value);
    case Values::division: return halo_division(value).has_value();
    case Values::grid: break;
  }
  const std::size_t cross = std::min(value.find('x'), value.size());
  return cross < value.size() && is_within<int>(value.substr(0, cross), option) &&
         is_within<int>(value.substr(cross + 1), option);
}

void expect_allowed(const PolicyOption& option, const std::string& name, std::string_view value) {
  if (is_allowed(option, value)) return;
  throw UsageError(name + ": " + internal::quoted(value) + " is not " + values_of(option) + "; " +
                   did_you_mean(value, words_of(option.choices)) + "it is an option for --sched " +
                   std::string(option.policies) + ": " + std::string(option.help));
}

std::string variable_of(const PolicyOption& option) {
  std::string name = "ESPALIER_";
  for (const char letter : option.key) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

std::vector<std::string> keys_as_list(std::span<const PolicyOption> table,
                                      std::string_view policy) {
  std::vector<std::string> keys;
  for (const PolicyOption& option : table) {
    if (contains(option.policies, policy)) keys.emplace_back(option.key);
  }
  return keys;
}

/// Returns a hint for the message about an unknown option: the options that the policy has.
std::string advice(std::span<const PolicyOption> table, std::string_view policy) {
  const std::string keys = keys_of(table, policy);
  return "the scheduler " + std::string(policy) + " has " +
         (keys.empty() ? "no options" : "the options " + keys);
}

const PolicyOption& find(std::span<const PolicyOption> table, std::string_view policy,
                         std::string_view key) {
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const PolicyOption& option) { return option.key == key; });
  if (at == table.end()) {
    throw UsageError("unknown scheduler option " + internal::quoted(key) + "; " +
                     did_you_mean(key, keys_as_list(table, policy)) + advice(table, policy));
  }
  if (!contains(at->policies, policy)) {
    throw UsageError("'" + std::string(key) + "' (" + values_of(*at) +
                     ") is only for these schedulers: " + std::string(at->policies) + "; " +
                     advice(table, policy));
  }
  return *at;
}

/// The settings of each policy that StarPU may start. They are global to the process, like StarPU:
/// StarPU creates policy objects in any thread that creates a scheduling context, by a function
/// without arguments for the settings.
class SettingsInUse {
 public:
  void set(std::string_view policy, PolicySettings settings) {
    const std::lock_guard lock(mutex_);
    settings_.insert_or_assign(std::string(policy), std::move(settings));
  }
  std::optional<PolicySettings> of(std::string_view policy) {
    const std::lock_guard lock(mutex_);
    const auto at = settings_.find(policy);
    return at == settings_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, PolicySettings, std::less<>> settings_;
};

SettingsInUse& in_use() {
  static SettingsInUse settings;
  return settings;
}

}  // namespace

std::span<const PolicyOption> policy_options() { return all_options; }

std::vector<SearchedOption> searched_options(
    const std::map<std::string, std::string, std::less<>>& settings, bool devices) {
  const auto has_effect = [&](const SearchedOption& option) {
    const std::size_t equals = std::min(option.only_with.find('='), option.only_with.size());
    const auto needed = settings.find(std::string(option.only_with.substr(0, equals)));
    return settings.contains(std::string(option.key)) && (devices || !option.for_devices) &&
           (needed == settings.end() || needed->second == option.only_with.substr(equals + 1));
  };
  std::vector<SearchedOption> found;
  std::ranges::copy_if(all_searched, std::back_inserter(found), has_effect);
  return found;
}

std::span<const PolicyShorthand> policy_shorthands() {
  static const std::array<PolicyShorthand, 3> all{{
      {"device-memory", "device_memory", "BYTES",
       "maximum memory of the factor's data on each device (500M, 2.5G); under sched=halo, tiles "
       "that workers read at the same time may exceed it"},
      {"halo",
       "halo",
       "DIVISION",
       "division of updates between host and devices under sched=halo: " +
           std::string(halo_divisions),
       {halo_division_words.begin(), halo_division_words.end()}},
      {"on-device-full", "on_device_full", "NAME",
       "action if a task does not fit in device memory: run it on the cpu, or fail",
       words_of("cpu fail")},
  }};
  return all;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string values_of(const PolicyOption& option) {
  const std::string range = digits_of(option.lowest) + " to " + digits_of(option.highest);
  const std::string or_automatic = option.fallback == automatic_value ? " or auto" : "";
  switch (option.values) {
    case Values::number: return "a number from " + range + or_automatic;
    case Values::whole_number: return "a whole number from " + range + or_automatic;
    case Values::choice: return "one of " + with_commas(words_of(option.choices));
    case Values::division: return std::string(halo_divisions);
    case Values::grid: break;
  }
  return "ROWSxCOLUMNS" + or_automatic;
}

std::string keys_of(std::span<const PolicyOption> table, std::string_view policy) {
  return with_commas(keys_as_list(table, policy));
}

PolicySettings::PolicySettings(std::span<const PolicyOption> table, std::string_view policy,
                               std::span<const std::string> assignments, Environment environment) {
  for (const PolicyOption& option : table) {
    if (!contains(option.policies, policy)) continue;
    const std::string variable = variable_of(option);
    const char* const value = environment(variable.c_str());
    if (value != nullptr) expect_allowed(option, variable, value);
    value_.insert_or_assign(std::string(option.key), value ? value : std::string(option.fallback));
  }
  for (const std::string& assignment : assignments) assign(table, policy, assignment);
}

void PolicySettings::assign(std::span<const PolicyOption> table, std::string_view policy,
                            std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw UsageError(internal::quoted(assignment) + " is not a scheduler option key=value; " +
                     advice(table, policy));
  }
  const PolicyOption& option = find(table, policy, assignment.substr(0, equals));
  const std::string_view value = assignment.substr(equals + 1);
  expect_allowed(option, std::string(option.key), value);
  value_.insert_or_assign(std::string(option.key), std::string(value));
}

const std::string& PolicySettings::text(std::string_view key) const {
  const auto at = value_.find(key);
  if (at == value_.end()) throw std::out_of_range("no scheduler option " + std::string(key));
  return at->second;
}

double PolicySettings::number(std::string_view key, double automatic) const {
  double value = automatic;
  read(text(key), value);
  return value;
}

PolicySettings read_policy_settings(std::string_view policy,
                                    std::span<const std::string> assignments) {
  return {policy_options(), policy, assignments, std::getenv};
}

void use_policy_settings(std::string_view policy, PolicySettings settings) {
  in_use().set(policy, std::move(settings));
}

PolicySettings policy_settings(std::string_view policy) {
  if (auto settings = in_use().of(policy)) return *std::move(settings);
  return {policy_options(), policy, {}, [](const char* /*variable*/) -> char* { return nullptr; }};
}

}  // namespace espalier::internal
