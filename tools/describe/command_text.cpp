// SPDX-License-Identifier: BSD-3-Clause
#include "describe/command_text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "schedulers/registry.hpp"

namespace espalier::internal {

namespace {

using Kind = Suggestions::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 4> kind_names{{{Kind::words, "words"},
                                                                       {Kind::list, "list"},
                                                                       {Kind::files, "files"},
                                                                       {Kind::folders, "folders"}}};

/// CLI11 has no place for data that are neither parsed nor shown. But a disabled check keeps its
/// description, so the suggestions are stored there, as text_of() writes them.
constexpr const char* kept_as = "suggestions";

/// Stands for the names of policies among the words.
constexpr const char* policies_mark = "*";

void add_policy_names(std::vector<std::string>& words) {
  for (const SchedulerInfo& known : known_schedulers()) words.push_back(known.name);
  for (const std::string& name :
       policies_that_need_devices()) {  // not listed if there are no devices
    if (std::ranges::find(words, name) == words.end()) words.push_back(name);
  }
}

Suggestions read_suggestions(const std::string& kept) {
  Suggestions suggestions;
  std::istringstream words(kept);
  std::string word;
  words >> word;
  for (const auto& [kind, name] : kind_names) {
    if (name == word) suggestions.kind = kind;
  }
  while (words >> word) {
    if (word == policies_mark)
      suggestions.policies = true;
    else
      suggestions.words.push_back(word);
  }
  if (suggestions.policies) add_policy_names(suggestions.words);
  return suggestions;
}

Suggestions suggestions_of(CLI::Option& option, const std::string& symbol) {
  try {
    CLI::Validator kept = *option.get_validator(kept_as);
    return read_suggestions(kept.active().get_description());
  } catch (const CLI::OptionNotFound&) {
    const auto says = [&](const char* word) { return symbol.find(word) != std::string::npos; };
    return {says("FILE") ? Kind::files : says("DIR") ? Kind::folders : Kind::words};
  }
}

OptionText option_text(CLI::Option& option) {
  OptionText text;
  const bool is_argument = option.get_positional();
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (is_argument) text.names.push_back(option.get_name(true));
  if (is_argument) text.symbol = text.names.back();
  if (!is_argument && option.get_type_size() != 0) text.symbol = option.get_type_name();
  text.help = option.get_description();
  text.fallback = option.get_default_str();
  for (const CLI::Option* other : option.get_excludes()) text.excluded.push_back(other->get_name());
  std::ranges::sort(text.excluded);  // because CLI11 sorts them by address
  text.group = option.get_group();
  text.required = option.get_required();
  text.repeated = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size ||
                  option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  text.suggestions = suggestions_of(option, text.symbol);
  return text;
}

}  // namespace

std::vector<OptionGroup> groups_of(const std::vector<OptionText>& options) {
  std::vector<OptionGroup> groups;
  for (const OptionText& option : options) {
    auto group = std::ranges::find(groups, option.group, &OptionGroup::heading);
    if (group == groups.end()) group = groups.insert(group, {option.group});
    group->options.push_back(option);
  }
  return groups;
}

std::string text_of(const Suggestions& suggestions) {
  std::string text;
  for (const auto& [kind, name] : kind_names) {
    if (kind == suggestions.kind) text = name;
  }
  for (const std::string& word : suggestions.words) text += " " + word;
  return text;
}

CLI::Option* suggest(CLI::Option* option, const Suggestions& suggestions) {
  std::string kept = text_of(suggestions);
  if (suggestions.policies) kept.append(" ").append(policies_mark);
  return option->check(CLI::Validator(kept).active(false), kept_as);
}

CommandText command_text(CLI::App& command) {
  CommandText text{command.get_name(), command.get_description(), command.get_footer()};
  for (CLI::Option* const option : command.get_options([](CLI::Option*) { return true; })) {
    (option->get_positional() ? text.arguments : text.options).push_back(option_text(*option));
  }
  for (CLI::App* const one : command.get_subcommands([](CLI::App*) { return true; })) {
    text.subcommands.push_back(command_text(*one));
  }
  return text;
}

}  // namespace espalier::internal
