// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "commands/commands.hpp"
#include "describe/command_text.hpp"
#include "describe/help_text.hpp"
#include "espalier/error.hpp"
#include "schedulers/configurations.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/registry.hpp"

namespace espalier::internal {

namespace {

constexpr const char* schedulers_topic = "schedulers";

constexpr const char* help_examples = R"(Examples:
  espalier help                list the subcommands
  espalier help solve          the options of a subcommand, as espalier solve --help
  espalier help schedulers     the scheduling policies, their options, and configurations of papers)";

std::vector<std::string> topics_of(const CLI::App& program) {
  std::vector<std::string> topics{schedulers_topic};
  for (const CLI::App* one : program.get_subcommands([](const CLI::App*) { return true; })) {
    topics.push_back(one->get_name());
  }
  return topics;
}

std::vector<HelpEntry> entries_of_own_policies() {
  std::vector<HelpEntry> entries;
  for (const OwnPolicy* const policy : all_own_policies()) {
    entries.push_back({policy->starpu.policy_name, policy->starpu.policy_description});
  }
  return entries;
}

/// Returns the policies that known_schedulers() lists besides Espalier's: those of StarPU.
std::vector<HelpEntry> entries_of_other_policies() {
  std::vector<HelpEntry> entries;
  for (const SchedulerInfo& known : known_schedulers()) {
    if (own_policy(known.name) == nullptr) entries.push_back({known.name, known.description});
  }
  return entries;
}

std::vector<HelpEntry> option_entries_of(std::string_view policy) {
  std::vector<HelpEntry> entries;
  for (const PolicyOption& option : policy_options()) {
    if (std::ranges::count(words_of(option.policies), policy) == 0) continue;
    entries.push_back(entry_of({.names = {std::string(option.key)},
                                .help = fmt::format("{}; {}", option.help, values_of(option)),
                                .fallback = std::string(option.fallback)}));
  }
  return entries;
}

/// Returns the options of a configuration as words of the command line, with their sections of the
/// paper.
std::vector<HelpEntry> entries_of(const PaperConfiguration& configuration) {
  std::vector<HelpEntry> entries;
  for (const auto& [assignment, section] : configuration.options) {
    std::string words = "--" + std::string(assignment);
    words[words.find('=')] = ' ';
    entries.push_back({words, fmt::format("section {}", section)});
  }
  return entries;
}

std::string schedulers_text(std::size_t width) {
  std::string text = "Policies of Espalier (--sched NAME):\n";
  text += help_list(entries_of_own_policies(), width);
  text += "\nPolicies of StarPU:\n" + help_list(entries_of_other_policies(), width);
  for (const HelpEntry& policy : entries_of_own_policies()) {
    const std::vector<HelpEntry> options = option_entries_of(policy.name);
    if (options.empty()) continue;
    text += fmt::format("\nOptions of {} (--sched-option KEY=VALUE):\n", policy.name);
    text += help_list(options, width);
  }
  for (const PaperConfiguration& configuration : paper_configurations()) {
    text += fmt::format("\nOptions of {} as in its paper (--as {}):\n", configuration.program,
                        configuration.name);
    text += help_list(entries_of(configuration), width);
  }
  return text +
         "\nThe environment variable ESPALIER_KEY sets an option, too: "
         "ESPALIER_GRID=2x2.\n\nExamples:\n"
         "  espalier solve A.mtx --sched fanout --sched-option grid=2x2\n"
         "  espalier solve A.mtx --as swcholesky --sched-option fuse=0\n"
         "  espalier compare A.mtx --sched espalier,fanout:grid=2x2,lws\n";
}

void print_help(CLI::App& program, const std::string& topic) {
  const CommandText all = command_text(program);
  if (topic.empty()) {
    fmt::print("{}", help_text({all.name}, all, help_width()));
    return;
  }
  if (topic == schedulers_topic) {
    fmt::print("{}", schedulers_text(help_width()));
    return;
  }
  const auto command = std::ranges::find(all.subcommands, topic, &CommandText::name);
  if (command == all.subcommands.end()) {
    const std::vector<std::string> topics = topics_of(program);
    throw UsageError(fmt::format("there is no help on {}; {}choose one of {}",
                                 internal::quoted(topic), did_you_mean(topic, topics),
                                 fmt::join(topics, ", ")));
  }
  fmt::print("{}", help_text({all.name, topic}, *command, help_width()));
}

}  // namespace

Command add_help(CLI::App& program) {
  const auto topic = std::make_shared<std::string>();
  CLI::App* const command = program.add_subcommand(
      "help", "List the subcommands, the options of one, or the scheduling policies.");
  CLI::Option* const argument =
      command->add_option("TOPIC", *topic, "a subcommand, or 'schedulers'")->type_name("");
  suggest(argument, {.words = topics_of(program)});
  command->footer(help_examples);
  return {command, [&program, topic] { print_help(program, *topic); }};
}

}  // namespace espalier::internal
