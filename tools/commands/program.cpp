// SPDX-License-Identifier: BSD-3-Clause
#include "commands/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/caught_error.hpp"
#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "commands/commands.hpp"
#include "describe/help_text.hpp"
#include "espalier/espalier.hpp"
#include "launch/environment.hpp"
#include "launch/memory_limits.hpp"
#include "launch/out_of_memory.hpp"
#include "launch/ranks.hpp"
#include "launch/signals.hpp"
#include "launch/standard_streams.hpp"
#include "runtime/starpu/coprocessor.hpp"
#include "schedulers/registry.hpp"

namespace espalier::internal {

namespace {

constexpr const char* examples = R"(Examples:
  espalier solve A.mtx                           solve with b = A (1, ..., 1), and print a summary
  espalier solve A.mtx --rhs b.mtx --out x.mtx   solve for a right-hand side of a file
  espalier analyze A.mtx                         predict memory and time before solving
'espalier help SUBCOMMAND' lists the options of a subcommand, and 'man espalier-solve' has the same
text. 'espalier help schedulers' lists the scheduling policies and their options.
)";

/// Returns the help of the program, or of the subcommand whose parser this is.
std::string help_of(CLI::App& program, const CLI::App& parser) {
  if (&parser == &program)
    return help_text({program.get_name()}, command_text(program), help_width());
  CLI::App& command = *program.get_subcommand(parser.get_name());
  return help_text({program.get_name(), command.get_name()}, command_text(command), help_width());
}

void describe(CLI::App& program) {
  program.name("espalier");
  program.set_help_flag("-h,--help", "print this text and exit");
  program.set_version_flag("--version", std::string("espalier ") + version(),
                           "print the version and exit");
  program.footer(std::string(examples) + exit_codes);
  program.formatter_fn(
      [&program](const CLI::App* parser, const std::string& /*name*/, CLI::AppFormatMode /*mode*/) {
        return help_of(program, *parser);
      });
}

/// Returns a hint: the known option whose name is nearest to the first option that the parser did
/// not accept. The hint is empty if there is no such option.
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

/// Returns the error in the command line, and a guess at the word that the user meant.
std::string reason_of(const CLI::ParseError& error, const CLI::App& program, char** argv) {
  const auto chosen = program.get_subcommands();
  if (argv[1][0] == '-' || !chosen.empty()) {
    const CLI::App& parser = chosen.empty() ? program : *chosen.front();
    return error.what() + ("; " + nearest_option(parser));
  }
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  return fmt::format("{} is not a subcommand; {}choose one of {}; ", internal::quoted(argv[1]),
                     did_you_mean(argv[1], known), fmt::join(known, ", "));
}

/// Throws UsageError if an option has an empty value, for example from an unset variable of a
/// shell. Options whose value may be left out are not checked, because the parser gives them an
/// empty one.
void expect_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& given = option->results();
    if (option->get_expected_min() == 0 || std::ranges::find(given, "") == given.end()) continue;
    throw UsageError(option->get_name() + ": the value is empty");
  }
}

/// Prints the subcommands on standard error and throws UsageError if the command line has no word.
void expect_subcommand(CLI::App& program, int argc) {
  if (argc > 1) {
    program.require_subcommand(1);
    return;
  }
  fmt::print(stderr, "{}\n", help_of(program, program));
  throw UsageError("no subcommand was given; choose one of those above");
}

/// Parses the command line. Returns false if it printed the help or the version instead. Throws
/// UsageError, also for errors of CLI11, with a hint how to get help.
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
    reason = reason_of(error, program, argv);
  } catch (const UsageError& error) {
    reason = error.what() + std::string("; ");
  }
  const auto chosen = program.get_subcommands();
  const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
  throw UsageError(reason + "run 'espalier" + command + " --help'");
}

/// Returns the file of --report in a wrong command line, if its subcommand reports failures. The
/// result is empty if the line also names this file elsewhere, because it may be an input.
std::string report_of(const Command& command, const std::vector<std::string>& line) {
  if (!command.reports_failures || launched_rank() > 0) return {};
  const std::vector<std::string> given =
      words_that_give({command.parser->get_option("--report")}, line);
  if (given.empty()) return {};
  const auto value_in = [](const std::string& word) {
    if (word == "-") return std::string(standard_input);
    return word.starts_with("--") ? word.substr(word.find('=') + 1) : word;
  };
  const std::string file = value_in(given.back());
  const auto named = std::ranges::count_if(
      line, [&](const std::string& word) { return same_file(value_in(word), file); });
  return named == 1 ? file : "";
}

/// Parses the command line as parse() does. If it is wrong, the report says so.
bool parse_or_report(CLI::App& program, std::span<const Command> commands, int argc, char** argv) {
  try {
    return parse(program, argc, argv);
  } catch (const UsageError&) {
    const auto chosen = std::ranges::find_if(
        commands, [](const Command& command) { return command.parser->parsed(); });
    if (chosen != commands.end()) {
      with_failure_report(report_of(*chosen, {argv, argv + argc}), [] { throw; });
    }
    throw;
  }
}

void run(int argc, char** argv) {
  CLI::App program(
      "Espalier solves sparse symmetric systems, positive definite or indefinite, over StarPU.");
  describe(program);
  const std::array commands{add_solve(program),
                            add_analyze(program, {argv, argv + argc}),
                            add_generate(program),
                            add_calibrate(program),
                            add_compare(program, {argv, argv + argc}),
                            add_tune(program),
                            add_simulate(program, {argv, argv + argc}),
                            add_reproduce(program),
                            add_completion(program),
                            add_man(program),
                            add_help(program)};
  expect_subcommand(program, argc);
  if (!parse_or_report(program, commands, argc, argv)) return;
  exit_on_signals();
  // mpirun already prints which signal ended a rank, so the ranks print nothing.
  std::optional<SignalEnding> quiet;
  if (launched_ranks() > 1) quiet.emplace([](int signal) { return Ending{"", 128 + signal}; });
  for (const Command& command : commands) {
    if (command.parser->parsed()) command.run();
  }
}

/// Runs tasks for the process that started this one. Both have the same command line.
void serve() {
  expect_memory_for_workers(threads_of_coprocessor());
  prepare_starpu_environment(coprocessor_scheduler, 1);
  serve_as_coprocessor();
}

/// Prints the exception that is being handled. Returns its exit code.
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
