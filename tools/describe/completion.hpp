// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "describe/command_text.hpp"

namespace espalier::internal {

// Scripts that complete command lines of the program. They contain all subcommands, options and
// known values, so that a shell does not start the program. The words of suggestions and the names
// of options need no quotes.

/// Returns the script for bash 4.3 or newer.
std::string bash_completion(const CommandText& program);

/// Returns the script for zsh, as a file in $fpath or to be sourced after compinit.
std::string zsh_completion(const CommandText& program);

/// Returns the script for fish 3 or newer.
std::string fish_completion(const CommandText& program);

struct Shell {
  std::string_view name;
  std::string (*script)(const CommandText& program);
};

/// Returns all shells that have a script.
std::span<const Shell> completed_shells();

}  // namespace espalier::internal
