// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "describe/completion.hpp"
#include "describe/shell_words.hpp"

namespace espalier::internal {

namespace {

constexpr std::string_view quote_in_zsh = "'\\''";

/// Returns the text with the special characters of _arguments escaped.
std::string unmarked(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\\' || letter == ':' || letter == '[' || letter == ']') result += '\\';
    result += letter;
  }
  return result;
}

/// Returns ":SYMBOL:ACTION".
std::string value_of(const std::string& program, const OptionText& option) {
  const bool nothing =
      option.suggestions.kind == Suggestions::Kind::words && option.suggestions.words.empty();
  const std::string action =
      nothing ? " "
              : fmt::format("{{_{}_offer {}}}", program, unmarked(text_of(option.suggestions)));
  return fmt::format(":{}:{}", unmarked(option.symbol), action);
}

/// Returns one specification per name of the option, each in quotes on a separate line.
std::string specification(const std::string& program, const OptionText& option) {
  std::vector<std::string> never_beside = option.excluded;
  if (!option.repeated) {
    never_beside.insert(never_beside.end(), option.names.begin(), option.names.end());
  }
  std::string text;
  for (const std::string& name : option.names) {
    std::string one = never_beside.empty() ? "" : fmt::format("({})", fmt::join(never_beside, " "));
    one += (option.repeated ? "*" : "") + name;
    if (!option.is_flag() && name.starts_with("--")) one += "=";
    one += "[" + unmarked(beginning_of(option.help)) + "]";
    if (!option.is_flag()) one += value_of(program, option);
    text += " \\\n        " + in_quotes(one, quote_in_zsh);
  }
  return text;
}

std::string branch_of(const std::string& program, const CommandText& command) {
  std::string text = fmt::format("      {})\n      _arguments", command.name);
  for (const OptionText& option : command.options) text += specification(program, option);
  for (std::size_t k = 0; k < command.arguments.size(); ++k) {
    const OptionText& argument = command.arguments[k];
    const std::string place = argument.repeated ? "*" : std::to_string(k + 1);
    text += " \\\n        " + in_quotes(place + value_of(program, argument), quote_in_zsh);
  }
  return text + " && found=0\n        ;;\n";
}

/// Returns "'NAME:SUMMARY'" for each subcommand, on separate lines.
std::string subcommand_list(const CommandText& program) {
  std::string text;
  for (const CommandText& one : program.subcommands) {
    text += "\n        " + in_quotes(one.name + ":" + unmarked(one.summary), quote_in_zsh);
  }
  return text;
}

}  // namespace

std::string zsh_completion(const CommandText& program) {
  const std::string& name = program.name;
  std::string text = fmt::format(
      R"(#compdef {0}
# Completes command lines of {0} in zsh; printed by `{0} completion zsh`.

# Offers the expected words: KIND WORD...
_{0}_offer() {{
  local kind=$1 found=1
  shift
  local -a closed open
  closed=(${{@:#*[:=]}})
  open=(${{(M)@:#*[:=]}})
  [[ $kind == list ]] && compset -P '*,'
  compadd -a closed && found=0
  compadd -S '' -a open && found=0
  [[ $kind == files ]] && _files && found=0
  [[ $kind == folders ]] && _path_files -/ && found=0
  return found
}}

_{0}() {{
  local curcontext=$curcontext found=1
  local -a state line subcommands
  typeset -A opt_args
  _arguments -C)",
      name);
  for (const OptionText& option : program.options) text += specification(name, option);
  text +=
      " \\\n        '1: :->subcommand' '*:: :->words' && found=0\n  case $state in\n    "
      "subcommand)\n";
  text += fmt::format(
      "      subcommands=({}\n      )\n      _describe -t commands subcommand subcommands && "
      "found=0\n      ;;\n    words)\n      case $words[1] in\n",
      subcommand_list(program));
  for (const CommandText& one : program.subcommands) text += branch_of(name, one);
  text += "      esac\n      ;;\n  esac\n  return found\n}\n\n";
  return text + fmt::format(
                    "# As a file in $fpath it runs on first use. When it is sourced, it is "
                    "registered.\nif [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  "
                    "compdef _{0} {0}\nfi\n",
                    name);
}

}  // namespace espalier::internal
