// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "describe/command_text.hpp"

namespace espalier::internal {

/// Returns the manual page of the whole program, section 1, in the macros of man(7). Its footer may
/// have indented examples and other lines. The text from "Exit codes: " on lists them, separated by
/// semicolons.
std::string man_page(const CommandText& program, const std::string& version);

/// Returns the manual page of a subcommand.
std::string man_page(const CommandText& program, const CommandText& subcommand,
                     const std::string& version);

}  // namespace espalier::internal
