// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace espalier::internal {

/// What a shell may offer as the value of an option or as an argument.
struct Suggestions {
  enum class Kind {
    words,   ///< one of the words; where there are none, nothing is known
    list,    ///< some of them, separated by commas
    files,   ///< one of them, or the name of a file
    folders  ///< the name of a folder
  };
  Kind kind = Kind::words;
  /// Without blanks. More has to follow where a word ends with ':' or '='.
  std::vector<std::string> words{};
  /// Whether the names of scheduling policies are words, too. They are looked up by command_text():
  /// the first look settles which there are, which a run does when it has started its devices.
  bool policies = false;
};

/// Returns the kind, and each word after a blank: "files auto amd".
std::string text_of(const Suggestions& suggestions);

/// Keeps the suggestions with the option. Neither parsing nor --help changes. Returns the option.
CLI::Option* suggest(CLI::Option* option, const Suggestions& suggestions);

/// Heading of the options that belong to no group.
inline constexpr const char* default_heading = "Options";

/// An option, or an argument without dashes, in words.
struct OptionText {
  std::vector<std::string> names;       ///< "-h", "--help"; of an argument "MATRIX" alone
  std::string symbol{};                 ///< what stands for its value; empty for a flag
  std::string help{};                   ///< may have several lines
  std::string fallback{};               ///< the default; empty: there is none
  std::vector<std::string> excluded{};  ///< options that cannot be given together with this one
  std::string group{default_heading};   ///< heading above it in help
  bool required = false;
  bool repeated = false;  ///< may be given several times
  Suggestions suggestions{};

  bool is_flag() const { return symbol.empty(); }
};

/// Options under one heading.
struct OptionGroup {
  std::string heading{};
  std::vector<OptionText> options{};
};

/// Divides options into their groups, in the order of the first option of each.
std::vector<OptionGroup> groups_of(const std::vector<OptionText>& options);

/// The program or a subcommand in words.
struct CommandText {
  std::string name{};  ///< "solve"
  std::string summary{};
  std::string footer{};  ///< examples and notes, as --help ends with them
  std::vector<OptionText> arguments{};
  std::vector<OptionText> options{};
  std::vector<CommandText> subcommands{};
};

/// Returns what --help says of a parser and of its subcommands, and what shells may offer. Without
/// suggest(), these are files where the symbol says FILE, folders where it says DIR.
CommandText command_text(CLI::App& command);

}  // namespace espalier::internal
