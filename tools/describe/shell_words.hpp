// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/command_line.hpp"
#include "describe/command_text.hpp"

namespace espalier::internal {

// Functions that the scripts for several shells share.

/// Returns the beginning of a help text, up to the first semicolon or line end. It is short enough
/// for a list.
std::string beginning_of(const std::string& help);

/// Returns the names of all options.
std::vector<std::string> names_of(const std::vector<OptionText>& options);

}  // namespace espalier::internal
