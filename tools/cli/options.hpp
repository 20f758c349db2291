// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "describe/command_text.hpp"
#include "espalier/bindings.hpp"
#include "launch/coprocessors.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace espalier::internal {

// Options that several subcommands share, or that CLI11 alone would check less strictly.

/// Adds options of the library by the names of their rows in option_table().
void add_options(CLI::App& command, Options& options,
                 std::initializer_list<std::string_view> names);

/// Adds --ordering and --factorizations.
void add_ordering_options(CLI::App& command, Options& options);

/// Adds --save-ordering.
void add_save_ordering(CLI::App& command, std::string& file);

/// Adds the widths of panels and the limits of amalgamation.
void add_structure_options(CLI::App& command, Options& options);

/// Adds all options of the analysis: the two groups above.
void add_analysis_options(CLI::App& command, Options& options);

/// Adds the options for tasks, kernels and the mapping to ranks: --granularity to --grid.
void add_task_options(CLI::App& command, Options& options);

/// Adds --sched, --sched-option (may be repeated), and short forms for some of its values:
/// --device-memory, --halo and --on-device-full.
void add_scheduler_options(CLI::App& command, Options& options);

/// Adds an option --NAME `symbol` for an integer. The current value is the default. The help ends
/// with the limits.
CLI::Option* add_number(CLI::App& command, const std::string& name, const std::string& symbol,
                        Index& value, const Limits& limits, const std::string& help);

/// Adds an option for a list of integers within the limits, separated by commas.
CLI::Option* add_numbers(CLI::App& command, const std::string& name, const std::string& symbol,
                         std::vector<Index>& values, const Limits& limits, const std::string& help);

/// Adds an option for a list of finite numbers, separated by commas.
CLI::Option* add_reals(CLI::App& command, const std::string& name, const std::string& symbol,
                       std::vector<double>& values, const std::string& help);

/// Restricts an option or an argument to these words, which shells also complete. Returns the
/// option.
CLI::Option* choose_from(CLI::Option* option, const std::vector<std::string>& words);

/// Returns the words of the command line that belong to these options. Each option takes a value.
std::vector<std::string> words_that_give(const std::vector<CLI::Option*>& options,
                                         const std::vector<std::string>& line);

/// Lets shells complete names of generators and files as matrices. Returns the option.
CLI::Option* suggest_matrices(CLI::Option* option);

/// Adds --cuda-devices, --coprocessors, --coprocessor-threads and --coprocessor-workers.
void add_devices(CLI::App& command, Options& options, Coprocessors& coprocessors);

/// Throws UsageError if CUDA devices are requested but the program was built without CUDA. If the
/// machine has fewer devices than requested, all of them are used.
void expect_cuda_for(Index cuda_devices);

/// Adds --coprocessor-threads and --coprocessor-workers.
void add_coprocessor_threads(CLI::App& command, Coprocessors& coprocessors);

/// Adds --tuning, which chosen_tuning() reads.
CLI::Option* add_tuning(CLI::App& command, std::string& tuning);

/// Adds the positional argument MATRIX.
void add_matrix(CLI::App& command, std::string& matrix);

/// Adds the positional argument MATRIX, which may also be "-" for standard input.
void add_matrix_or_stream(CLI::App& command, std::string& matrix);

/// Adds --format, the format of the matrix file.
void add_format(CLI::App& command, FileFormat& format);

/// Adds the positional argument MATRIX, which may be given several times. Returns the option.
CLI::Option* add_matrices(CLI::App& command, std::vector<std::string>& matrices);

/// Adds --machine, the name or the file of a machine to simulate. `otherwise` is the machine
/// without the option.
void add_machine(CLI::App& command, std::string& machine, const std::string& otherwise);

/// Adds --report and --quiet.
void add_output_options(CLI::App& command, std::string& report, bool& quiet);

/// Adds --verbose.
void add_verbose(CLI::App& command, bool& verbose);

/// Moves the options that not every user needs into groups, each under its own heading in help:
/// method, ranks and devices, scheduling, time model and tuning, structure and kernels.
void group_options(CLI::App& command);

/// Returns the options that were added after the first `own` ones, which a subcommand passes on to
/// each of its runs. Puts them under a heading in help.
std::vector<CLI::Option*> options_of_runs_after(CLI::App& command, std::size_t own);

}  // namespace espalier::internal
