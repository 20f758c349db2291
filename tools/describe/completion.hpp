// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "describe/command_text.hpp"

namespace espalier::internal {

// Scripts that complete command lines of the program, with all of its subcommands, options and
// known values inside: a shell that runs one does not start the program. Words of suggestions and
// names of options need no quotes.

/// For bash 4.3 or newer.
std::string bash_completion(const CommandText& program);

/// For zsh, as a file of its $fpath or to be sourced after compinit.
std::string zsh_completion(const CommandText& program);

/// For fish 3 or newer.
std::string fish_completion(const CommandText& program);

struct Shell {
  std::string_view name;
  std::string (*script)(const CommandText& program);
};

/// Returns the shells for which there are scripts.
std::span<const Shell> completed_shells();

}  // namespace espalier::internal
