// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "describe/completion.hpp"
#include "describe/shell_words.hpp"

namespace espalier::internal {

namespace {

std::string in_fish_quotes(const std::string& text) {
  std::string escaped;
  for (const char letter : text) escaped += letter == '\\' ? "\\\\" : std::string(1, letter);
  return in_quotes(escaped, "\\'");
}

/// Returns the arguments of `complete` for the values of an option: the words, and whether files
/// are offered.
std::string values_for(const std::string& program, const Suggestions& suggestions) {
  using Kind = Suggestions::Kind;
  std::string words = fmt::format("{}", fmt::join(suggestions.words, " "));
  if (suggestions.kind == Kind::list) words = fmt::format("(__{}_list {})", program, words);
  if (suggestions.kind == Kind::folders) words = "(__fish_complete_directories)";
  const std::string files = suggestions.kind == Kind::files ? " -F" : " -f";
  return files + (words.empty() ? "" : " -a " + in_fish_quotes(words));
}

/// Returns the line of an option. `condition` is the condition for offering it.
std::string line_of(const std::string& program, const std::string& condition,
                    const OptionText& option) {
  std::string text = fmt::format("complete -c {} -n {}", program, in_fish_quotes(condition));
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.is_flag()) text += " -r" + values_for(program, option.suggestions);
  return text + " -d " + in_fish_quotes(beginning_of(option.help)) + "\n";
}

std::string lines_of(const CommandText& program, const CommandText& command) {
  const std::string& name = program.name;
  const std::string inside = "__fish_seen_subcommand_from " + command.name;
  std::string text;
  for (const OptionText& option : command.options) text += line_of(name, inside, option);
  for (std::size_t k = 0; k < command.arguments.size(); ++k) {
    const OptionText& argument = command.arguments[k];
    const std::string place = fmt::format("{}; and test (__{}_arguments) {} {}", inside, name,
                                          argument.repeated ? "-ge" : "=", k);
    text += fmt::format("complete -c {} -n {}{}\n", name, in_fish_quotes(place),
                        values_for(name, argument.suggestions));
  }
  return text;
}

/// Returns the names of all options that take a value in the next word.
std::vector<std::string> with_values(const CommandText& program) {
  std::vector<std::string> names;
  for (const CommandText& command : program.subcommands) {
    for (const OptionText& option : command.options) {
      if (option.is_flag()) continue;
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

}  // namespace

std::string fish_completion(const CommandText& program) {
  const std::string& name = program.name;
  std::string text = fmt::format(
      R"(# Completes command lines of {0} in fish; printed by `{0} completion fish`.

# Prints the words, each after the part of the current word before its last comma.
function __{0}_list
    set -l head (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '[^,]*$' '')
    printf "$head%s\n" $argv
end

# Prints the number of arguments between the subcommand and the current word.
function __{0}_arguments
    set -l count -2
    set -l value no
    for word in (commandline -opc)
        if string match -q -- '-*' $word
            contains -- $word {1}
            and set value yes
            or set value no
        else if test $value = yes
            set value no
        else
            set count (math $count + 1)
        end
    end
    echo $count
end

complete -c {0} -f
)",
      name, fmt::join(with_values(program), " "));
  for (const OptionText& option : program.options) {
    text += line_of(name, "__fish_use_subcommand", option);
  }
  for (const CommandText& one : program.subcommands) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", name, one.name,
                        in_fish_quotes(one.summary));
    text += lines_of(program, one);
  }
  return text;
}

}  // namespace espalier::internal
