// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "describe/command_text.hpp"
#include "espalier/options.hpp"
#include "launch/coprocessors.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace espalier::internal {

// Options that several subcommands share, or that CLI11 alone would read less strictly. Defaults
// are what the values hold.

/// Adds a whole number: --NAME `symbol`. The help ends with the limits.
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

/// Adds --workers.
void add_workers(CLI::App& command, Index& workers);

/// Adds --cuda-devices, --coprocessors, --coprocessor-threads and --coprocessor-workers.
void add_devices(CLI::App& command, Index& cuda_devices, Coprocessors& coprocessors);

/// Throws UsageError where CUDA devices are asked for and the program is built without CUDA. Where
/// it has CUDA and the machine fewer devices, all that there are serve.
void expect_cuda_for(Index cuda_devices);

/// Adds the last two of these.
void add_coprocessor_threads(CLI::App& command, Coprocessors& coprocessors);

/// Adds --memory-limit, a number of bytes with an optional suffix.
void add_memory_limit(CLI::App& command, Count& bytes);

/// Adds --granularity, --subtrees-per-worker and --tile-rows: what tasks work on.
void add_task_options(CLI::App& command, FactorOptions& options);

/// Adds --mapping and --grid.
void add_mapping(CLI::App& command, Mapping& mapping, std::array<Index, 2>& grid);

/// Adds --sched-option, which may be given several times, and the options that stand for some of
/// its values: --device-memory, --halo and --on-device-full.
void add_scheduler_options(CLI::App& command, std::vector<std::string>& values);

/// Adds --ordering, --factorizations, the widths of panels and the limits of amalgamation.
void add_analysis_options(CLI::App& command, AnalysisOptions& options);

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

}  // namespace espalier::internal
