// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "describe/completion.hpp"
#include "describe/shell_words.hpp"

namespace espalier::internal {

namespace {

/// These functions follow the function _NAME_known, which sets the known words. NAME is the
/// program's name.
constexpr std::string_view bash_functions = R"(
# Joins words that bash has divided at '=' and ':', up to the cursor.
_NAME_join() {
  local at word
  words=()
  for ((at = 0; at <= COMP_CWORD; ++at)); do
    word=${COMP_WORDS[at]}
    if ((at > 0)) && [[ $word == [:=]* || ${COMP_WORDS[at - 1]} == *[:=] ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
}

# Offers the expected words ("KIND WORD...") that begin with the current word.
_NAME_offer() {
  local kind=${1%% *} current=$2 head='' piece=${COMP_WORDS[COMP_CWORD]} known=''
  [[ $1 == *' '* ]] && known=${1#* }
  [[ $kind == list && $current == *,* ]] && head=${current%,*},
  mapfile -t COMPREPLY < <(compgen -P "$head" -W "$known" -- "${current#"$head"}")
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=] ]]; then compopt -o nospace; fi
  if [[ $kind == files || $kind == folders ]]; then
    # If only files or folders are expected, readline completes them, because it handles quotes.
    if [[ ${#COMPREPLY[@]} == 0 && $kind == files ]]; then compopt -o default; fi
    if [[ ${#COMPREPLY[@]} == 0 && $kind == folders ]]; then compopt -o dirnames; fi
    if [[ ${#COMPREPLY[@]} -gt 0 ]]; then
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    fi
  fi
  # Bash replaces only the part at the cursor.
  [[ $piece == [:=] ]] && piece=''
  if [[ $current == *"$piece" ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${current%"$piece"}"}")
  else
    COMPREPLY=("${COMPREPLY[@]/#/"${piece%"$current"}"}")
  fi
}

_NAME() {
  local -a words options arguments
  local -A values
  local word subcommand='' option='' current repeated at place=0
  COMPREPLY=()
  _NAME_join
  _NAME_known ''
  for ((at = 1; at < ${#words[@]} - 1; ++at)); do
    word=${words[at]}
    if [[ $word == -* ]]; then
      option=''
      [[ -n ${values[$word]-} ]] && option=$word
    elif [[ -n $option ]]; then
      option=''
    elif [[ -z $subcommand ]]; then
      subcommand=$word
      _NAME_known "$subcommand"
    else
      ((++place))
    fi
  done
  current=${words[-1]}
  if [[ $current == --*=* ]]; then
    _NAME_offer "${values[${current%%=*}]-words}" "${current#*=}"
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$current")
  elif [[ -n $option ]]; then
    _NAME_offer "${values[$option]}" "$current"
  else
    _NAME_offer "${arguments[place]-$repeated}" "$current"
  fi
}

complete -F _NAME NAME
)";

std::string with_name(std::string_view text, std::string_view name) {
  constexpr std::string_view placeholder = "NAME";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool here = text.substr(at, placeholder.size()) == placeholder;
    result += here ? name : text.substr(at, 1);
    at += here ? placeholder.size() : 1;
  }
  return result;
}

/// Returns the branch that sets the arrays for a subcommand, or for the words before one.
std::string known_of(const std::string& name, const CommandText& command) {
  const std::string all = fmt::format("{}", fmt::join(names_of(command.options), " "));
  std::string text = fmt::format("    {})\n      options=({})\n      values=(", name, all);
  for (const OptionText& option : command.options) {
    if (option.is_flag()) continue;
    for (const std::string& spelling : option.names) {
      text += fmt::format("\n        [{}]='{}'", spelling, text_of(option.suggestions));
    }
  }
  text += ")\n      arguments=(";
  std::string repeated;
  for (const OptionText& argument : command.arguments) {
    text += fmt::format("\n        '{}'", text_of(argument.suggestions));
    if (argument.repeated) repeated = text_of(argument.suggestions);
  }
  Suggestions subcommands;
  for (const CommandText& one : command.subcommands) subcommands.words.push_back(one.name);
  if (!subcommands.words.empty()) text += fmt::format("\n        '{}'", text_of(subcommands));
  return text +
         fmt::format(")\n      repeated='{}'\n      ;;\n", repeated.empty() ? "words" : repeated);
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string text = with_name(
      "# Completes command lines of NAME in bash; printed by `NAME completion bash`.\n\n"
      "# Sets the options, their values and the arguments of a subcommand.\n"
      "_NAME_known() {\n  options=() values=() arguments=() repeated=words\n  case $1 in\n",
      program.name);
  text += known_of("''", program);
  for (const CommandText& one : program.subcommands) text += known_of(one.name, one);
  return text + "  esac\n}\n" + with_name(bash_functions, program.name);
}

}  // namespace espalier::internal
