// SPDX-License-Identifier: BSD-3-Clause
#include "commands/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/caught_error.hpp"
#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "cli/failure.hpp"
#include "commands/commands.hpp"
#include "espalier/espalier.hpp"
#include "launch/environment.hpp"
#include "launch/out_of_memory.hpp"
#include "launch/ranks.hpp"
#include "launch/room.hpp"
#include "launch/signals.hpp"
#include "launch/standard_streams.hpp"
#include "runtime/starpu/coprocessor.hpp"
#include "schedulers/registry.hpp"

namespace espalier::internal {

namespace {

constexpr const char* examples = R"(Examples:
  espalier solve A.mtx --rhs b.mtx --out x.mtx
  espalier analyze A.mtx
  espalier generate laplace3d:30 A.mtx
Each subcommand has its own --help, and a page in the manual: man espalier-solve.
)";

void describe(CLI::App& program) {
  program.name("espalier");
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string("espalier ") + version());
  program.footer(std::string(examples) + exit_codes);
  program.get_formatter()->column_width(32);
}

/// Says which option of the parser the first one is near that it did not take, or nothing.
std::string nearest_option(const CLI::App& parser) {
  const std::vector<std::string> left = parser.remaining();
  const auto wrong =
      std::ranges::find_if(left, [](const std::string& word) { return word.starts_with("--"); });
  if (wrong == left.end()) return {};
  std::vector<std::string> known;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return did_you_mean(wrong->substr(0, wrong->find('=')), known);
}

/// Returns what was wrong with the command line, and a guess at what was meant: the parser only
/// notes that no subcommand came.
std::string reason_of(const CLI::ParseError& error, const CLI::App& program, int argc,
                      char** argv) {
  const auto chosen = program.get_subcommands();
  if (argc < 2 || argv[1][0] == '-' || !chosen.empty()) {
    const CLI::App& parser = chosen.empty() ? program : *chosen.front();
    return error.what() + ("; " + nearest_option(parser));
  }
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  return fmt::format("{} is no subcommand; {}choose one of {}; ", internal::quoted(argv[1]),
                     did_you_mean(argv[1], known), fmt::join(known, ", "));
}

/// Throws UsageError for an option with an empty value, as an unset variable of a shell leaves it.
/// The value of some may be left out, and the parser then gives an empty one.
void expect_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& given = option->results();
    if (option->get_expected_min() == 0 || std::ranges::find(given, "") == given.end()) continue;
    throw UsageError(option->get_name() + ": the value is empty");
  }
}

/// Throws UsageError, also for what CLI11 refuses, with a hint where help is to be had. Returns
/// false when help or the version was asked for and printed.
bool parse(CLI::App& program, int argc, char** argv) {
  std::string reason;
  try {
    program.parse(argc, argv);
    for (const CLI::App* command : program.get_subcommands()) expect_values(*command);
    return true;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      program.exit(error);
      return false;
    }
    reason = reason_of(error, program, argc, argv);
  } catch (const UsageError& error) {
    reason = error.what() + std::string("; ");
  }
  const auto chosen = program.get_subcommands();
  const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
  throw UsageError(reason + "run 'espalier" + command + " --help'");
}

void run(int argc, char** argv) {
  CLI::App program("Espalier solves sparse symmetric positive definite systems over StarPU.");
  describe(program);
  const std::array commands{add_solve(program),
                            add_analyze(program),
                            add_generate(program),
                            add_calibrate(program),
                            add_compare(program, {argv, argv + argc}),
                            add_tune(program),
                            add_simulate(program, {argv, argv + argc}),
                            add_reproduce(program),
                            add_completion(program),
                            add_man(program)};
  if (!parse(program, argc, argv)) return;
  exit_on_signals();
  // mpirun tells what ended a rank, which says more itself where it knows more.
  std::optional<SignalEnding> quiet;
  if (launched_ranks() > 1) quiet.emplace([](int signal) { return Ending{"", 128 + signal}; });
  for (const Command& command : commands) {
    if (command.parser->parsed()) command.run();
  }
}

/// Runs tasks for the process whose command line this one has, too.
void serve() {
  expect_room_for_workers(threads_of_coprocessor());
  prepare_starpu_environment(coprocessor_scheduler, 1);
  serve_as_coprocessor();
}

/// Tells the exception that is being handled. Returns its exit code.
int tell() {
  const CaughtError failure = current_error();
  tell_failure(failure);
  return static_cast<int>(failure.code);
}

}  // namespace

int run_program(int argc, char** argv) {
  try {
    if (is_coprocessor()) serve();
    run(argc, argv);
    flush_standard_output();
    return 0;
  } catch (...) {
    try {
      return tell();
    } catch (const std::bad_alloc&) {
      end_without_memory();
    }
  }
}

}  // namespace espalier::internal
