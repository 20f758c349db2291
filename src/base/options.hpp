// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <variant>

#include "espalier/options.hpp"

namespace espalier::internal {

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
/// Returns the same but for the rows of tiles and the subtrees of a worker where nobody has changed
/// these: a plan chooses them.
FactorOptions tuned(FactorOptions options, const Tuning& tuning);

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

/// What a number of the public options may be, ends included.
struct Limits {
  double lowest = 0;
  double highest = 0;
  bool whole = true;  ///< fractions are no values
};

namespace limits {
inline constexpr Limits factorizations{1, 1e9};
inline constexpr Limits workers{0, 4096};
inline constexpr Limits cuda_devices{0, 64};
inline constexpr Limits panel_width{8, 8192};
inline constexpr Limits amalgamation_widths{0, std::numeric_limits<Index>::max()};
inline constexpr Limits amalgamation_zeros{0, 1, false};
inline constexpr Limits subtrees_per_worker{1, 10000, false};
inline constexpr Limits tile_rows{1, 1000000};
inline constexpr Limits grid{1, 65536};
inline constexpr Limits memory_limit{0, 9e18};
inline constexpr Limits refinement_steps{0, 100};
}  // namespace limits

/// Throws UsageError naming the field, its value and the limits when the value is outside of them.
void expect_within(const Limits& limits, std::string_view field, double value);

/// Checks each value of the options in this way, the limits of amalgamation one by one.
void validate(const AnalysisOptions& options);
void validate(const FactorOptions& options);
void validate(const RuntimeOptions& options);
void validate(const SolveOptions& options);

}  // namespace espalier::internal
