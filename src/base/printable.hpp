// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace espalier::internal {

/// The longest piece of a user's text that quoted() shows, and the longest line that
/// message_line() makes, in bytes.
inline constexpr std::size_t longest_quotation = 40;
inline constexpr std::size_t longest_message = 2000;

/// A piece of a file, an option or a variable for a message: in quotes, shortened, with '?' for all
/// but the printing characters of ASCII.
std::string quoted(std::string_view text);

/// Text that does nothing to a terminal: '?' stands for control characters, those that are two
/// bytes of UTF-8 (U+0080 to U+009F) among them, and for the ends of lines.
std::string printable(std::string_view text);

/// The same, for a whole message: of a longer one than that the middle is left out, because what is
/// wrong comes first and what to do last.
std::string message_line(std::string_view text);

}  // namespace espalier::internal
