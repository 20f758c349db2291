// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "describe/command_text.hpp"

namespace espalier::internal {

// What the scripts for several shells have in common.

/// Returns the text between single quotes; `quote` stands for such a quote inside, as the shell
/// wants it.
std::string in_quotes(std::string_view text, std::string_view quote);

/// Returns the beginning of a help, which fits beside a word in a list: up to the first semicolon
/// or end of a line.
std::string beginning_of(const std::string& help);

/// Returns the names of all options.
std::vector<std::string> names_of(const std::vector<OptionText>& options);

}  // namespace espalier::internal
