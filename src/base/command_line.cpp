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

/// Returns the word in single quotes if a shell would not take it as it is.
std::string shell_word(const std::string& word) {
  if (is_plain(word)) return word;
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  }
  return quoted + "'";
}

}  // namespace

std::string command_line(std::size_t most) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line;
  for (std::string word; std::getline(file, word, '\0') && line.size() <= most;) {
    line += (line.empty() ? "" : " ") + shell_word(word);
  }
  if (line.size() > most) line = line.substr(0, most) + "...";
  return line;
}

}  // namespace espalier::internal
