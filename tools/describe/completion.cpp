// SPDX-License-Identifier: BSD-3-Clause
#include "describe/completion.hpp"

#include <array>

#include "describe/shell_words.hpp"

namespace espalier::internal {

std::span<const Shell> completed_shells() {
  static constexpr std::array<Shell, 3> shells{
      {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}}};
  return shells;
}

std::string beginning_of(const std::string& help) {
  return help.substr(0, help.find_first_of(";\n"));
}

std::vector<std::string> names_of(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

}  // namespace espalier::internal
