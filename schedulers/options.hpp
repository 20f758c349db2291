// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// An option of one or more policies.
struct PolicyOption {
  enum class Values { number, whole_number, choice, grid, division };

  std::string_view key;
  std::string_view policies;  ///< policies with this option, separated by spaces
  std::string_view fallback;  ///< the default; if it is "auto", users may also set "auto"
  std::string_view help;
  Values values = Values::number;
  double lowest = 0;           ///< minimum of a number
  double highest = 0;          ///< maximum of a number
  std::string_view choices{};  ///< allowed values of a choice, separated by spaces
};

/// Returns all options of Espalier's policies; no key is listed twice.
std::span<const PolicyOption> policy_options();

/// Range of the whole numbers among which `espalier tune` searches the value of an option.
struct SearchedOption {
  std::string_view key;
  double lowest;
  double highest;
  std::string_view only_with{};  ///< "key=value" of another option that this one needs
  bool for_devices = false;      ///< without devices, the option has no effect
};

/// Returns the options that a search may change: those with an effect if a policy has these
/// settings.
std::vector<SearchedOption> searched_options(
    const std::map<std::string, std::string, std::less<>>& settings, bool devices);

/// An option of the program and the bindings that sets one policy option.
struct PolicyShorthand {
  std::string_view name;
  std::string_view key;     ///< key of the PolicyOption
  std::string_view symbol;  ///< stands for the value in help texts
  std::string help;
  std::vector<std::string> words{};  ///< values, or prefixes of values, for completion in a shell
};

/// Returns all shorthands in the order of the help texts.
std::span<const PolicyShorthand> policy_shorthands();

/// Returns the words of a text that are separated by blanks.
std::vector<std::string> words_of(std::string_view text);

/// Returns the allowed values in words, such as "one of fifo, lifo" or "a number from 0 to 1".
std::string values_of(const PolicyOption& option);

/// Returns the keys of a policy's options in one line, or an empty string if it has no options.
std::string keys_of(std::span<const PolicyOption> table, std::string_view policy);

/// The checked value of every option of one policy.
class PolicySettings {
 public:
  /// A function like getenv().
  using Environment = char* (*)(const char* variable);

  PolicySettings() = default;

  /// Reads the settings. The value of a key is its last assignment "key=value", else the
  /// environment variable ESPALIER_KEY (in capitals), else the default. Variables of other
  /// policies' options are ignored.
  ///
  /// Throws UsageError if a key is unknown or belongs to another policy, or if a value is not
  /// allowed. The message names the key, its values and the policy.
  PolicySettings(std::span<const PolicyOption> table, std::string_view policy,
                 std::span<const std::string> assignments, Environment environment);

  /// Returns the value of a key. text() and number() throw std::out_of_range if the policy has no
  /// such key.
  const std::string& text(std::string_view key) const;
  /// Returns the value as a number, or `automatic` if the value is "auto".
  double number(std::string_view key, double automatic = 0) const;
  /// Returns all values by their keys.
  const std::map<std::string, std::string, std::less<>>& all() const { return value_; }

 private:
  void assign(std::span<const PolicyOption> table, std::string_view policy,
              std::string_view assignment);

  std::map<std::string, std::string, std::less<>> value_;
};

/// Returns the settings of a policy by these assignments and the environment of the process. Throws
/// as the constructor does.
PolicySettings read_policy_settings(std::string_view policy,
                                    std::span<const std::string> assignments = {});

/// Sets the settings that a policy reads when StarPU starts it from now on. Must be called before
/// StarPU gets the policy. Safe to call from several threads, like policy_settings().
void use_policy_settings(std::string_view policy, PolicySettings settings);

/// Returns the settings that were last set for this policy, else its defaults. Only the policy
/// itself may use this, while it starts. All other callers use StarpuInstance::policy_settings().
PolicySettings policy_settings(std::string_view policy);

}  // namespace espalier::internal
