// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <variant>

#include "espalier/options.hpp"

namespace espalier::internal {

/// Parameters that divide a factorization into tasks, and a dense kernel into panels, with their
/// defaults. `espalier tune` searches for good values of them. They replace options that are left
/// empty.
struct Tuning {
  AmalgamationOptions amalgamation;
  Index panel_width = 256;
  Index narrow_panel_width = 128;
  double subtrees_per_worker = 3;
  Index tile_rows = 512;
  Index trsm_panel = 128;   ///< DenseKernels::panel1
  Index potrf_panel = 128;  ///< DenseKernels::panel2
};

/// Returns the options with empty fields set from `tuning`.
AnalysisOptions completed(AnalysisOptions options, const Tuning& tuning);
FactorOptions completed(FactorOptions options, const Tuning& tuning);
/// Like completed(), but the rows of tiles and the subtrees per worker stay empty if neither the
/// options nor `tuning` change their defaults. The plan then chooses them.
FactorOptions tuned(FactorOptions options, const Tuning& tuning);

/// A parameter of Tuning as a number, with its name.
struct TuningParameter {
  using Field = std::variant<Index*, double*>;

  std::string_view name;
  double lowest = 0;  ///< [lowest, highest] is the useful range; only kernels refuse other values
  double highest = 0;
  double unit = 1;        ///< searches try multiples of it; 0: powers of two
  bool geometric = true;  ///< changed by factors instead of differences
  bool open = false;      ///< `highest` means no limit
  Field (*field)(Tuning&) = nullptr;

  double of(const Tuning& tuning) const;
  /// Returns the nearest value that fits the unit.
  double rounded(double value) const;
  /// Sets the parameter to `value`, or to the nearest value that its type can represent.
  void set(Tuning& tuning, double value) const;
};

/// Returns all parameters. The limits of amalgamation are numbered from 1.
std::span<const TuningParameter> tuning_parameters();
/// Returns the parameters that divide a factorization into tasks.
std::span<const TuningParameter> planned_parameters();
/// Returns the other parameters, which divide dense kernels into panels. Predicted times of plans
/// do not depend on them.
std::span<const TuningParameter> kernel_parameters();

/// Valid range of a public option, including both ends.
struct Limits {
  double lowest = 0;
  double highest = 0;
  bool whole = true;  ///< fractions are not allowed
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
inline constexpr Limits regularization{0, 1e300, false};
inline constexpr Limits memory_limit{0, 9e18};
inline constexpr Limits refinement_steps{0, 100};
}  // namespace limits

/// Throws UsageError with the field, its value and the limits if the value is outside the limits.
void expect_within(const Limits& limits, std::string_view field, double value);

/// Checks the numbers of the options with expect_within(), including the limits of amalgamation,
/// but not the grid or sizes of kernels. Throws UsageError if a regularization is given without
/// Factorization::ldlt, or if t is positive but r is not.
void validate(const AnalysisOptions& options);
void validate(const FactorOptions& options);
void validate(const RuntimeOptions& options);
void validate(const SolveOptions& options);

}  // namespace espalier::internal
