// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "espalier/options.hpp"

namespace espalier {

/// The parameters that decide how a factorization is cut into tasks, with their defaults: what
/// `espalier tune` looks for, and what options may leave empty.
struct Tuning {
  AmalgamationOptions amalgamation;
  Index panel_width = 256;
  Index narrow_panel_width = 128;
  double subtrees_per_worker = 3;
  Index tile_rows = 512;
};

/// The options with what they leave empty filled in.
AnalysisOptions completed(AnalysisOptions options, const Tuning& tuning);
FactorOptions completed(FactorOptions options, const Tuning& tuning);

/// One parameter by its name, as a number.
struct TuningParameter {
  using Field = std::variant<Index*, double*>;

  std::string_view name;
  double lowest = 0;  ///< [lowest, highest] is what makes sense, not all that is allowed
  double highest = 0;
  double unit = 1;        ///< values are multiples of it
  bool geometric = true;  ///< changes by factors, not by differences
  bool open = false;      ///< `highest` stands for no limit
  Field (*field)(Tuning&) = nullptr;

  double of(const Tuning& tuning) const;
  /// Any value that its type can hold, the nearest one where it cannot.
  void set(Tuning& tuning, double value) const;
};

/// All of them. Limits of amalgamation are numbered from 1.
std::span<const TuningParameter> tuning_parameters();

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
