// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace espalier::internal {

/// The words that a shell may offer as the value of an option or as an argument.
struct Suggestions {
  enum class Kind {
    words,   ///< one of the words; if there are none, nothing is known
    list,    ///< several of the words, separated by commas
    files,   ///< one of the words, or a file name
    folders  ///< a folder name
  };
  Kind kind = Kind::words;
  /// Words without blanks. If a word ends with ':' or '=', more text must follow.
  std::vector<std::string> words{};
  /// Whether the names of scheduling policies are words, too. Only command_text() looks them up,
  /// because the first lookup fixes the list, and a run must start its devices before that.
  bool policies = false;
};

/// Returns the kind and then each word after a blank: "files auto amd".
std::string text_of(const Suggestions& suggestions);

/// Stores the suggestions with the option. Parsing and --help do not change. Returns the option.
CLI::Option* suggest(CLI::Option* option, const Suggestions& suggestions);

/// Heading of the options that belong to no group.
inline constexpr const char* default_heading = "Options";

/// The texts of an option, or of an argument without dashes.
struct OptionText {
  std::vector<std::string> names;       ///< "-h", "--help"; for an argument only "MATRIX"
  std::string symbol{};                 ///< symbol of its value; empty for a flag
  std::string help{};                   ///< may have several lines
  std::string fallback{};               ///< the default; empty if there is none
  std::vector<std::string> excluded{};  ///< options that cannot be given together with this one
  std::string group{default_heading};   ///< heading above it in help
  bool required = false;
  bool repeated = false;  ///< whether it may be given several times
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

/// The texts of the program or of a subcommand.
struct CommandText {
  std::string name{};  ///< "solve"
  std::string summary{};
  std::string footer{};  ///< examples and notes at the end of --help
  std::vector<OptionText> arguments{};
  std::vector<OptionText> options{};
  std::vector<CommandText> subcommands{};
};

/// Returns the texts of a parser and its subcommands, with the words that shells may offer. For an
/// option without suggest(), shells may offer files if its symbol is FILE, and folders if it is
/// DIR.
CommandText command_text(CLI::App& command);

}  // namespace espalier::internal
