// SPDX-License-Identifier: BSD-3-Clause
#include "describe/help_text.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace espalier::internal {

namespace {

constexpr std::size_t first_column = 28;  ///< column of explanations

/// Appends the words of one line, wrapped at `width`; further lines are indented.
void append_wrapped(std::string& text, const std::string& line, std::size_t indent,
                    std::size_t width) {
  std::istringstream words(line);
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
}

std::string entry_text(const HelpEntry& entry, std::size_t width) {
  std::string text = "  " + entry.name;
  if (entry.explanation.empty()) return text + "\n";
  const std::size_t used = text.size();
  text += used + 2 > first_column ? "\n" + std::string(first_column, ' ')
                                  : std::string(first_column - used, ' ');
  std::istringstream lines(entry.explanation);
  bool is_first = true;
  for (std::string line; std::getline(lines, line); is_first = false) {
    if (!is_first) text += "\n" + std::string(first_column, ' ');
    append_wrapped(text, line, first_column, width);
  }
  return text + "\n";
}

/// Returns "-h, --help", "--rhs FILE ..." or "--nrhs K".
std::string name_of(const OptionText& option) {
  std::string name = fmt::format("{}", fmt::join(option.names, ", "));
  const bool has_value = !option.is_flag() && option.symbol != option.names.back();
  if (has_value) name += " " + option.symbol;
  const bool says_more = !option.repeated || option.symbol.ends_with("...");
  return says_more ? name : name + " ...";
}

std::string list_of(const std::string& heading, const std::vector<OptionText>& options,
                    std::size_t width) {
  std::vector<HelpEntry> entries;
  for (const OptionText& option : options) entries.push_back(entry_of(option));
  return entries.empty() ? "" : "\n" + heading + ":\n" + help_list(entries, width);
}

std::string usage_of(const std::vector<std::string>& words, const CommandText& command) {
  std::string text = fmt::format("Usage: {} [OPTION...]", fmt::join(words, " "));
  if (!command.subcommands.empty()) text += " SUBCOMMAND ...";
  for (const OptionText& argument : command.arguments) {
    const std::string name = argument.symbol + (argument.repeated ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

}  // namespace

HelpEntry entry_of(const OptionText& option) {
  std::string explanation = option.help;
  if (!option.fallback.empty()) explanation += fmt::format(" [default: {}]", option.fallback);
  if (!option.excluded.empty()) {
    explanation += fmt::format(" [not with {}]", fmt::join(option.excluded, ", "));
  }
  return {name_of(option), explanation};
}

std::string help_list(const std::vector<HelpEntry>& entries, std::size_t width) {
  std::string text;
  for (const HelpEntry& entry : entries) text += entry_text(entry, width);
  return text;
}

std::string help_text(const std::vector<std::string>& words, const CommandText& command,
                      std::size_t width) {
  std::string text = command.summary + "\n" + usage_of(words, command);
  text += list_of("Arguments", command.arguments, width);
  std::vector<HelpEntry> subcommands;
  for (const CommandText& one : command.subcommands) subcommands.push_back({one.name, one.summary});
  if (!subcommands.empty()) text += "\nSubcommands:\n" + help_list(subcommands, width);
  for (const OptionGroup& group : groups_of(command.options)) {
    text += list_of(group.heading, group.options, width);
  }
  if (!command.footer.empty()) text += "\n" + command.footer + "\n";
  return text;
}

std::size_t help_width() {
  winsize size{};
  const bool is_terminal =
      isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  if (!is_terminal || size.ws_col == 0) return 100;
  return std::clamp<std::size_t>(size.ws_col, 60, 120);
}

}  // namespace espalier::internal
