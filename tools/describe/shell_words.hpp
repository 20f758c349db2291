// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "describe/command_text.hpp"

namespace espalier::internal {

// Functions that the scripts for several shells share.

/// Returns the text between single quotes. `quote` is the shell's form of a single quote inside.
std::string in_quotes(std::string_view text, std::string_view quote);

/// Returns the beginning of a help text, up to the first semicolon or line end. It is short enough
/// for a list.
std::string beginning_of(const std::string& help);

/// Returns the names of all options.
std::vector<std::string> names_of(const std::vector<OptionText>& options);

}  // namespace espalier::internal
