// SPDX-License-Identifier: BSD-3-Clause

#include "base/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {
template <class Value>
void fill(std::optional<Value>& option, const Value& value) {
  if (!option) option = value;
}

using Field = TuningParameter::Field;

template <std::size_t i>
Field width(Tuning& tuning) {
  return &tuning.amalgamation.widths[i];
}

template <std::size_t i>
Field zeros(Tuning& tuning) {
  return &tuning.amalgamation.zeros[i];
}

constexpr std::array<TuningParameter, 14> parameters{{
    {"amalgamation_width_1", 1, 4096, 1, true, true, width<0>},
    {"amalgamation_width_2", 1, 4096, 1, true, true, width<1>},
    {"amalgamation_width_3", 1, 4096, 1, true, true, width<2>},
    {"amalgamation_width_4", 1, 4096, 1, true, true, width<3>},
    {"amalgamation_zeros_1", 0, 1, 0.01, false, false, zeros<0>},
    {"amalgamation_zeros_2", 0, 1, 0.01, false, false, zeros<1>},
    {"amalgamation_zeros_3", 0, 0.5, 0.01, false, false, zeros<2>},
    {"amalgamation_zeros_4", 0, 0.5, 0.01, false, false, zeros<3>},
    {"panel_width", 64, 1024, 8, true, false, [](Tuning& t) -> Field { return &t.panel_width; }},
    {"narrow_panel_width", 32, 512, 8, true, false,
     [](Tuning& t) -> Field { return &t.narrow_panel_width; }},
    {"subtrees_per_worker", 1, 16, 0.25, true, false,
     [](Tuning& t) -> Field { return &t.subtrees_per_worker; }},
    {"tile_rows", 64, 4096, 8, true, false, [](Tuning& t) -> Field { return &t.tile_rows; }},
    {"trsm_panel", 64, 1024, 0, true, false, [](Tuning& t) -> Field { return &t.trsm_panel; }},
    {"potrf_panel", 64, 1024, 0, true, false, [](Tuning& t) -> Field { return &t.potrf_panel; }},
}};
constexpr std::size_t planned = 12;  ///< number of parameters before those of kernels

}  // namespace

double TuningParameter::of(const Tuning& tuning) const {
  Tuning copy = tuning;
  return std::visit([](auto* value) { return static_cast<double>(*value); }, field(copy));
}

double TuningParameter::rounded(double value) const {
  if (unit == 0) return std::exp2(std::round(std::log2(value)));
  // The reciprocal is exact; multiplying by 0.01 could give 0.07000000000000001.
  return std::round(value / unit) / (1 / unit);
}

void TuningParameter::set(Tuning& tuning, double value) const {
  std::visit(
      [&](auto* to) {
        using Value = std::remove_pointer_t<decltype(to)>;
        using Representable = std::numeric_limits<Value>;
        *to = static_cast<Value>(
            std::clamp<double>(value, Representable::lowest(), Representable::max()));
      },
      field(tuning));
}

std::span<const TuningParameter> tuning_parameters() { return parameters; }

std::span<const TuningParameter> planned_parameters() { return tuning_parameters().first(planned); }

std::span<const TuningParameter> kernel_parameters() {
  return tuning_parameters().subspan(planned);
}

AnalysisOptions completed(AnalysisOptions options, const Tuning& tuning) {
  fill(options.amalgamation, tuning.amalgamation);
  fill(options.panel_width, tuning.panel_width);
  fill(options.narrow_panel_width, tuning.narrow_panel_width);
  return options;
}

FactorOptions completed(FactorOptions options, const Tuning& tuning) {
  fill(options.subtrees_per_worker, tuning.subtrees_per_worker);
  fill(options.tile_rows, tuning.tile_rows);
  fill(options.kernels.panel1, tuning.trsm_panel);
  fill(options.kernels.panel2, tuning.potrf_panel);
  return options;
}

FactorOptions tuned(FactorOptions options, const Tuning& tuning) {
  const bool rows = !options.tile_rows && tuning.tile_rows == Tuning{}.tile_rows;
  const bool subtrees =
      !options.subtrees_per_worker && tuning.subtrees_per_worker == Tuning{}.subtrees_per_worker;
  options = completed(options, tuning);
  if (rows) options.tile_rows.reset();
  if (subtrees) options.subtrees_per_worker.reset();
  return options;
}

void expect_within(const Limits& limits, std::string_view field, double value) {
  if (limits.lowest <= value && value <= limits.highest) return;
  throw UsageError(fmt::format("{} is {}; give a value from {} to {}", field, value, limits.lowest,
                               limits.highest));
}

void validate(const AnalysisOptions& options) {
  expect_within(limits::factorizations, "factorizations", options.factorizations);
  expect_within(limits::workers, "workers", options.workers);
  const AnalysisOptions complete = completed(options, Tuning{});
  expect_within(limits::panel_width, "panel_width", *complete.panel_width);
  expect_within(limits::panel_width, "narrow_panel_width", *complete.narrow_panel_width);
  for (const Index width : complete.amalgamation->widths) {
    expect_within(limits::amalgamation_widths, "amalgamation.widths", width);
  }
  for (const double zeros : complete.amalgamation->zeros) {
    expect_within(limits::amalgamation_zeros, "amalgamation.zeros", zeros);
  }
}

namespace {

void validate_regularization(const FactorOptions& options) {
  const auto& given = options.regularization;
  for (const double number : given) expect_within(limits::regularization, "regularization", number);
  const bool any = std::ranges::any_of(given, [](double number) { return number > 0; });
  if (any && options.factorization != Factorization::ldlt) {
    throw UsageError(
        "regularization needs factorization=ldlt; set that, or leave out regularization");
  }
  if (given[2] > 0 && given[3] == 0) {
    throw UsageError(fmt::format(
        "regularization has the threshold {} for pivots but no value that replaces them; give the "
        "fourth number, too",
        given[2]));
  }
}

}  // namespace

void validate(const FactorOptions& options) {
  const FactorOptions complete = completed(options, Tuning{});
  expect_within(limits::subtrees_per_worker, "subtrees_per_worker", *complete.subtrees_per_worker);
  expect_within(limits::tile_rows, "tile_rows", *complete.tile_rows);
  expect_within(limits::memory_limit, "memory_limit", static_cast<double>(options.memory_limit));
  expect_within(limits::memory_limit, "memory_beside", static_cast<double>(options.memory_beside));
  validate_regularization(options);
}

void validate(const RuntimeOptions& options) {
  expect_within(limits::workers, "workers", options.workers);
  expect_within(limits::cuda_devices, "cuda_devices", options.cuda_devices);
}

void validate(const SolveOptions& options) {
  expect_within(limits::refinement_steps, "refinement_steps", options.refinement_steps);
}

}  // namespace espalier::internal
