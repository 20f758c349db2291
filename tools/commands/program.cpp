// SPDX-License-Identifier: BSD-3-Clause
#include "commands/program.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "base/caught_error.hpp"
#include "base/printable.hpp"
#include "cli/failure.hpp"
#include "commands/commands.hpp"
#include "espalier/espalier.hpp"
#include "launch/environment.hpp"
#include "launch/out_of_memory.hpp"
#include "launch/ranks.hpp"
#include "launch/room.hpp"
#include "launch/signals.hpp"
#include "runtime/starpu/coprocessor.hpp"

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

/// Returns what was wrong with the command line: the parser only notes that no subcommand came.
std::string reason_of(const CLI::ParseError& error, const CLI::App& program, int argc,
                      char** argv) {
  if (argc < 2 || argv[1][0] == '-' || !program.get_subcommands().empty()) return error.what();
  std::string known;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  return internal::quoted(argv[1]) + " is none of the subcommands " + known;
}

/// Throws UsageError, also for what CLI11 refuses, with a hint where help is to be had. Returns
/// false when help or the version was asked for and printed.
bool parse(CLI::App& program, int argc, char** argv) {
  std::string reason;
  try {
    program.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      program.exit(error);
      return false;
    }
    reason = reason_of(error, program, argc, argv);
  } catch (const UsageError& error) {
    reason = error.what();
  }
  const auto chosen = program.get_subcommands();
  const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
  throw UsageError(reason + "; run 'espalier" + command + " --help'");
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
  for (const Command& command : commands) {
    if (command.parser->parsed()) command.run();
  }
}

/// Runs tasks for the process whose command line this one has, too.
void serve() {
  expect_room_for_workers(threads_of_coprocessor());
  prepare_starpu_environment("lws", 1);
  serve_as_coprocessor();
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw RuntimeFailure("standard output cannot be written to");
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
    flush_output();
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
