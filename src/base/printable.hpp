// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace espalier::internal {

/// Maximum bytes of a user's text that quoted() shows, and of a line that message_line() makes.
inline constexpr std::size_t longest_quotation = 40;
inline constexpr std::size_t longest_message = 2000;

/// Returns a piece of a file, an option or a variable for a message: in quotes and shortened, with
/// '?' instead of all bytes except printable ASCII.
std::string quoted(std::string_view text);

/// Returns text that cannot control a terminal: '?' replaces line ends and control characters,
/// including those of two bytes in UTF-8 (U+0080 to U+009F).
std::string printable(std::string_view text);

/// Returns printable() text of a message. If it is longer than longest_message, the middle is left
/// out, because the error comes first and the remedy last.
std::string message_line(std::string_view text);

}  // namespace espalier::internal
