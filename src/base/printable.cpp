// SPDX-License-Identifier: BSD-3-Clause
#include "base/printable.hpp"

namespace espalier::internal {

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, longest_quotation)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > longest_quotation ? "...'" : "'");
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool second = byte >= 0x80 && byte <= 0x9f && !result.empty() && result.back() == '\xc2';
    if (second) result.pop_back();
    result += second || byte < ' ' || byte == 0x7f ? '?' : c;
  }
  return result;
}

std::string message_line(std::string_view text) {
  constexpr std::string_view gap = " ... ";
  constexpr std::size_t end = longest_message / 4;
  constexpr std::size_t begin = longest_message - end - gap.size();
  if (text.size() <= longest_message) return printable(text);
  return printable(text.substr(0, begin)).append(gap) + printable(text.substr(text.size() - end));
}

}  // namespace espalier::internal
