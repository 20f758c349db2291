// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "describe/command_text.hpp"

namespace espalier::internal {

/// Returns the manual page of the whole program, section 1, in the macros of man(7). The footer of
/// the program's help may have indented examples and other lines. After "Exit codes: " it lists the
/// exit codes, separated by semicolons.
std::string man_page(const CommandText& program, const std::string& version);

/// Returns the manual page of a subcommand.
std::string man_page(const CommandText& program, const CommandText& subcommand,
                     const std::string& version);

}  // namespace espalier::internal
