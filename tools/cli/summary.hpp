// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "espalier/report.hpp"

namespace espalier::internal {

/// Prints each warning but empty ones in a line on stderr, once.
void print_warnings(const std::vector<std::string>& warnings);

/// Prints what people want to know of a solve, its warnings too; `solution_file` may be empty. It
/// goes to stderr where the solution goes to standard output.
void print_solve_summary(const Report& report, const std::string& solution_file);

/// Prints the same of an analysis.
void print_analysis_summary(const Report& report);

/// Prints a bar for each bin, as wide as its share; bins[i] belongs to labels[i]. Prints nothing
/// where there are no bins.
void print_histogram(const std::string& title, const std::vector<std::string>& labels,
                     const std::vector<Count>& bins);

}  // namespace espalier::internal
