// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "cli/outputs.hpp"
#include "commands/commands.hpp"
#include "describe/command_text.hpp"
#include "describe/man_page.hpp"
#include "espalier/error.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

namespace {

struct ManSettings {
  std::string subcommand;
  std::string folder;  ///< folder for all pages
};

constexpr const char* man_examples = R"(Examples:
  espalier man solve | man -l -                  read a page that is not installed
  espalier man --out share/man/man1              write all pages
An installation contains these pages: man espalier-solve.)";

/// Returns the page of the subcommand, or of the whole program if `subcommand` is empty.
std::string page_of(const CommandText& program, const std::string& subcommand) {
  if (subcommand.empty()) return man_page(program, version());
  std::vector<std::string> known;
  for (const CommandText& one : program.subcommands) {
    if (one.name == subcommand) return man_page(program, one, version());
    known.push_back(one.name);
  }
  throw UsageError("there is no page of " + internal::quoted(subcommand) +
                   ", which is not a subcommand; " + did_you_mean(subcommand, known) +
                   "run 'espalier --help'");
}

void write_pages(const CommandText& program, const std::string& folder) {
  Outputs outputs;
  const auto add = [&](const std::string& title, const std::string& subcommand) {
    add_text(
        outputs, fmt::format("{}/{}.1", folder, title),
        [&] { return page_of(program, subcommand); }, Folders::made);
  };
  add(program.name, "");
  for (const CommandText& one : program.subcommands) add(program.name + "-" + one.name, one.name);
  outputs.commit();
}

}  // namespace

Command add_man(CLI::App& program) {
  const auto settings = std::make_shared<ManSettings>();
  CLI::App* const command =
      program.add_subcommand("man", "Print a manual page of the program or of a subcommand.");
  Suggestions names;
  for (const CLI::App* one : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.words.push_back(one->get_name());
  }
  CLI::Option* const subcommand =
      command
          ->add_option("SUBCOMMAND", settings->subcommand,
                       "a subcommand; without it the page of the program")
          ->type_name("");
  suggest(subcommand, names);
  command->add_option("--out", settings->folder, "write all pages into this folder instead")
      ->type_name("DIR")
      ->excludes(subcommand);
  command->footer(man_examples);
  return {command, [&program, settings] {
            const CommandText all = command_text(program);
            if (!settings->folder.empty()) return write_pages(all, settings->folder);
            fmt::print("{}", page_of(all, settings->subcommand));
          }};
}

}  // namespace espalier::internal
