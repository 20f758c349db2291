// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier {

/// A policy to compare, with its options.
struct PolicyChoice {
  std::string label;                 ///< as the user wrote it
  std::string name;                  ///< for StarPU
  std::vector<std::string> options;  ///< "key=value"
};

/// What is compared where the user names no policies: all own ones, and those of StarPU's that are
/// most in use.
std::string default_policies();

/// Reads "NAME,NAME:KEY=VALUE:KEY=VALUE,...", where "own" stands for all of Espalier's policies and
/// "all" for StarPU's, too. Throws UsageError for an empty or repeated entry, or a wrong option;
/// UnknownScheduler for an unknown name.
std::vector<PolicyChoice> parse_policies(std::string_view text);

}  // namespace espalier
