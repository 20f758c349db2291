// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "describe/command_text.hpp"

namespace espalier::internal {

/// Returns the page of the manual, section 1, of the whole program, in the macros of man(7). Its
/// footer may have examples, which are indented, and other lines; those from "Exit codes: " on say
/// them, separated by semicolons.
std::string man_page(const CommandText& program, const std::string& version);

/// Returns the page of one of its subcommands.
std::string man_page(const CommandText& program, const CommandText& subcommand,
                     const std::string& version);

}  // namespace espalier::internal
