// SPDX-License-Identifier: BSD-3-Clause
#include "base/command_line.hpp"

#include <fstream>

namespace espalier::internal {

namespace {

bool is_plain(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  return !word.empty() && word.find_first_not_of(plain) == std::string::npos;
}

}  // namespace

std::string in_quotes(std::string_view text, std::string_view quote) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += quote;
    } else {
      result += letter;
    }
  }
  return result + "'";
}

std::string command_line(std::size_t most) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line;
  for (std::string word; std::getline(file, word, '\0') && line.size() <= most;) {
    line += (line.empty() ? "" : " ") + (is_plain(word) ? word : in_quotes(word, R"('\'')"));
  }
  if (line.size() > most) line = line.substr(0, most) + "...";
  return line;
}

}  // namespace espalier::internal
