// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// What a policy leaves to the user.
struct PolicyOption {
  enum class Values { number, whole_number, choice, grid, division };

  std::string_view key;
  std::string_view policies;  ///< whose option it is, separated by spaces
  std::string_view fallback;  ///< the default; where it is "auto", the user may say so, too
  std::string_view help;
  Values values = Values::number;
  double lowest = 0;           ///< the least that a number may be
  double highest = 0;          ///< the most that it may be
  std::string_view choices{};  ///< what a choice is made from, separated by spaces
};

/// Returns all options of Espalier's policies; no key is listed twice.
std::span<const PolicyOption> policy_options();

/// An option of the program and the bindings that sets one option of policies.
struct PolicyShorthand {
  std::string_view name;
  std::string_view key;     ///< of the PolicyOption
  std::string_view symbol;  ///< stands for the value in help
  std::string help;
  std::vector<std::string> words{};  ///< values, or how they begin, which a shell can offer
};

/// Returns all shorthands, in the order of help texts.
std::span<const PolicyShorthand> policy_shorthands();

/// Returns what a text has between blanks, as choices are written.
std::vector<std::string> words_of(std::string_view text);

/// Returns its values in words: "one of fifo, lifo", "a number from 0 to 1".
std::string values_of(const PolicyOption& option);

/// Returns the keys of a policy's options in one line; empty where it has none.
std::string keys_of(std::span<const PolicyOption> table, std::string_view policy);

/// The value of every option of one policy, checked.
class PolicySettings {
 public:
  /// What getenv() does.
  using Environment = char* (*)(const char* variable);

  PolicySettings() = default;

  /// The value of a key is that of its last assignment "key=value", else that of the variable
  /// ESPALIER_KEY of the environment, in capitals, else the default. Throws UsageError naming the
  /// key, its values and the policy when a key is unknown or of another policy, or a value is not
  /// allowed. Variables of other policies' options are not looked at.
  PolicySettings(std::span<const PolicyOption> table, std::string_view policy,
                 std::span<const std::string> assignments, Environment environment);

  /// Returns the value. Both functions throw std::out_of_range for a key that is none of the
  /// policy's.
  const std::string& text(std::string_view key) const;
  /// Returns the number, or `automatic` where the value is "auto".
  double number(std::string_view key, double automatic = 0) const;

 private:
  void assign(std::span<const PolicyOption> table, std::string_view policy,
              std::string_view assignment);

  std::map<std::string, std::string, std::less<>> value_;
};

/// Returns the settings of a policy by assignments and this process's environment; throws as the
/// constructor does.
PolicySettings read_policy_settings(std::string_view policy,
                                    std::span<const std::string> assignments = {});

/// Sets what this policy goes by wherever StarPU starts it from here on. Whoever hands StarPU the
/// policy calls this before. Safe from several threads, as is policy_settings().
void use_policy_settings(std::string_view policy, PolicySettings settings);

/// Returns what was set last for this policy, else its defaults: for the policy itself while it
/// starts. Others ask whoever started StarPU (StarpuInstance::policy_settings).
PolicySettings policy_settings(std::string_view policy);

}  // namespace espalier::internal
