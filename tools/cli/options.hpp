// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <vector>

#include "espalier/options.hpp"

namespace espalier {

// Options that several subcommands share, or that CLI11 would parse less strictly. Range and help
// of a number come from its line in base/option_checks.cpp, its default is what `value` holds. A
// bad value throws UsageError.

/// A whole number: --NAME `symbol`.
void add_number(CLI::App& command, const std::string& name, const std::string& symbol,
                Index& value);

/// A number of bytes with an optional suffix.
void add_bytes(CLI::App& command, const std::string& name, Count& value);

/// --granularity, --subtrees-per-worker and --tile-rows: what tasks work on.
void add_task_options(CLI::App& command, FactorOptions& options);

/// --mapping and --grid.
void add_mapping(CLI::App& command, Mapping& mapping, std::array<Index, 2>& grid);

/// --sched-option, which may be given several times, and the options that stand for some of them:
/// --device-memory and --on-device-full.
void add_scheduler_options(CLI::App& command, std::vector<std::string>& values);

/// --ordering, --factorizations, the widths of panels and the limits of amalgamation.
void add_analysis_options(CLI::App& command, AnalysisOptions& options);

/// The positional argument MATRIX.
void add_matrix(CLI::App& command, std::string& matrix);

/// One or more of it.
void add_matrices(CLI::App& command, std::vector<std::string>& matrices);

/// --report and --quiet.
void add_output_options(CLI::App& command, std::string& report, bool& quiet);

}  // namespace espalier
