// SPDX-License-Identifier: BSD-3-Clause
#include "describe/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "commands/commands.hpp"
#include "describe/command_text.hpp"

namespace espalier::internal {

namespace {

constexpr const char* completion_examples = R"(Examples:
  espalier completion bash                  print the script; an installation contains it
  source <(espalier completion bash)        complete in this shell from now on (bash and zsh)
  espalier completion fish | source         the same in fish)";

}  // namespace

Command add_completion(CLI::App& program) {
  const auto chosen = std::make_shared<std::string>();
  CLI::App* const command = program.add_subcommand(
      "completion", "Print the script that completes command lines of espalier in a shell.");
  std::vector<std::string> names;
  for (const Shell& shell : completed_shells()) names.emplace_back(shell.name);
  choose_from(
      command->add_option("SHELL", *chosen, fmt::format("one of {}", fmt::join(names, ", ")))
          ->required()
          ->type_name(""),
      names);
  command->footer(completion_examples);
  return {command, [&program, chosen] {
            const auto shell = std::ranges::find(completed_shells(), *chosen, &Shell::name);
            fmt::print("{}", shell->script(command_text(program)));
          }};
}

}  // namespace espalier::internal
