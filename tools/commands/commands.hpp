// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}  // namespace CLI

namespace espalier::internal {

/// A subcommand: its parser, and the function that runs it with the parsed options. The function
/// throws if it fails.
struct Command {
  CLI::App* parser;
  std::function<void()> run;
  bool reports_failures = false;  ///< the file of --report also describes a failure
};

Command add_solve(CLI::App& program);
/// `line`: the words of the command line. Files of graphs name some of them.
Command add_analyze(CLI::App& program, std::vector<std::string> line);
Command add_generate(CLI::App& program);
Command add_calibrate(CLI::App& program);
/// `line`: the words of the command line. Some of them are passed on to other processes.
Command add_compare(CLI::App& program, std::vector<std::string> line);
Command add_tune(CLI::App& program);
Command add_reproduce(CLI::App& program);
/// `line`: as for add_compare(); the other process is the simulated program.
Command add_simulate(CLI::App& program, std::vector<std::string> line);
// These print descriptions of the whole program.
Command add_completion(CLI::App& program);
Command add_man(CLI::App& program);
Command add_help(CLI::App& program);

}  // namespace espalier::internal
