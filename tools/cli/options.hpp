// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

// Options that several subcommands share, or that CLI11 alone would read less strictly.

/// Adds options of the library, by their rows of option_table().
void add_options(CLI::App& command, Options& options,
                 std::initializer_list<std::string_view> names);

/// Adds --ordering and --factorizations.
void add_ordering_options(CLI::App& command, Options& options);

/// Adds the widths of panels and the limits of amalgamation.
void add_structure_options(CLI::App& command, Options& options);

/// Adds all options of the analysis: the two groups above.
void add_analysis_options(CLI::App& command, Options& options);

/// Adds those that say what tasks work on, by which kernels and on which ranks: --granularity to
/// --grid.
void add_task_options(CLI::App& command, Options& options);

/// Adds --sched, --sched-option, which may be given several times, and the options that stand for
/// some of its values: --device-memory, --halo and --on-device-full.
void add_scheduler_options(CLI::App& command, Options& options);

/// Adds a whole number, whose default is what the value holds: --NAME `symbol`. The help ends with
/// the limits.
CLI::Option* add_number(CLI::App& command, const std::string& name, const std::string& symbol,
                        Index& value, const Limits& limits, const std::string& help);

/// Adds whole numbers within the limits, separated by commas.
CLI::Option* add_numbers(CLI::App& command, const std::string& name, const std::string& symbol,
                         std::vector<Index>& values, const Limits& limits, const std::string& help);

/// Lets an option, or an argument, have one of the words alone, which a shell offers too. Returns
/// the option.
CLI::Option* choose_from(CLI::Option* option, const std::vector<std::string>& words);

/// Returns the words of a command line that give these options, each of which takes a value.
std::vector<std::string> words_that_give(const std::vector<CLI::Option*>& options,
                                         const std::vector<std::string>& line);

/// Offers the names of generators, and files, as matrices. Returns the option.
CLI::Option* suggest_matrices(CLI::Option* option);

/// Adds --cuda-devices, --coprocessors, --coprocessor-threads and --coprocessor-workers.
void add_devices(CLI::App& command, Options& options, Coprocessors& coprocessors);

/// Throws UsageError where CUDA devices are asked for and the program is built without CUDA. Where
/// it has CUDA and the machine fewer devices, all that there are serve.
void expect_cuda_for(Index cuda_devices);

/// Adds the last two of these.
void add_coprocessor_threads(CLI::App& command, Coprocessors& coprocessors);

/// Adds --tuning, which chosen_tuning() reads.
CLI::Option* add_tuning(CLI::App& command, std::string& tuning);

/// Adds the positional argument MATRIX.
void add_matrix(CLI::App& command, std::string& matrix);

/// Adds the same, which may be standard input, too.
void add_matrix_or_stream(CLI::App& command, std::string& matrix);

/// Adds --format, which says how the file of the matrix is read.
void add_format(CLI::App& command, FileFormat& format);

/// Adds the positional argument MATRIX, which may be given several times.
void add_matrices(CLI::App& command, std::vector<std::string>& matrices);

/// Adds --report and --quiet.
void add_output_options(CLI::App& command, std::string& report, bool& quiet);

/// Adds --verbose.
void add_verbose(CLI::App& command, bool& verbose);

/// Moves the options that not every user needs into groups, each under its own heading in help:
/// method, ranks and devices, scheduling, time model and tuning, structure and kernels.
void group_options(CLI::App& command);

/// Heading in help for the options that a subcommand passes on to each of its runs.
inline constexpr const char* options_of_runs = "Options of each run, as of espalier solve";

}  // namespace espalier::internal
