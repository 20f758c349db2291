// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "espalier/report.hpp"

namespace espalier::internal {

/// Prints each distinct warning once, as a line on stderr. Skips empty ones.
void print_warnings(const std::vector<std::string>& warnings);

/// Length of a summary: the figures that every user needs, or also those for experts.
enum class Detail { everyday, all };

/// Prints the results and the warnings of a solve. `solution_file` may be empty. The summary goes
/// to standard error if the solution goes to standard output.
void print_solve_summary(const Report& report, const std::string& solution_file, Detail detail);

/// Prints the results and the warnings of an analysis.
void print_analysis_summary(const Report& report, Detail detail);

/// Prints a bar per bin, as wide as its share. labels[i] belongs to bins[i]. Prints nothing if
/// there are no bins.
void print_histogram(const std::string& title, const std::vector<std::string>& labels,
                     const std::vector<Count>& bins);

}  // namespace espalier::internal
