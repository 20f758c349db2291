// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace espalier::internal {

/// Returns the text between single quotes. `quote` is the shell's form of a single quote inside.
std::string in_quotes(std::string_view text, std::string_view quote);

/// Returns the command line of this process as a shell would accept it, cut after `most` bytes.
/// Returns an empty text if the system does not tell it.
std::string command_line(std::size_t most = 500);

}  // namespace espalier::internal
