// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "espalier/options.hpp"

namespace espalier {

/// One line of the table of options: what the program's parser, its help and the checks below
/// share. Defaults are those of the structs in espalier/options.hpp.
struct OptionInfo {
  std::string_view name;  ///< as on the command line, without dashes
  double lowest = 0;
  double highest = 0;
  std::string_view help;
};

/// All options with a numeric range.
std::span<const OptionInfo> numeric_options();

/// The line of the option with this name. Throws std::out_of_range for a name that is not in the
/// table.
const OptionInfo& option(std::string_view name);

/// Throws UsageError naming the option, the value and the range when the value is outside.
void expect_in_range(std::string_view name, double value);

/// The same for each value of the options; the limits of amalgamation one by one.
void validate(const AnalysisOptions& options);
void validate(const FactorOptions& options);
void validate(const RuntimeOptions& options);
void validate(const SolveOptions& options);

}  // namespace espalier
