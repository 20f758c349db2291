// SPDX-License-Identifier: BSD-3-Clause
#include "base/tuning.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

namespace espalier {

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

constexpr std::array<TuningParameter, 12> parameters{{
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
}};

}  // namespace

double TuningParameter::of(const Tuning& tuning) const {
  Tuning copy = tuning;
  return std::visit([](auto* value) { return static_cast<double>(*value); }, field(copy));
}

void TuningParameter::set(Tuning& tuning, double value) const {
  std::visit(
      [&](auto* to) {
        using Value = std::remove_pointer_t<decltype(to)>;
        using Limits = std::numeric_limits<Value>;
        *to = static_cast<Value>(std::clamp<double>(value, Limits::lowest(), Limits::max()));
      },
      field(tuning));
}

std::span<const TuningParameter> tuning_parameters() { return parameters; }

AnalysisOptions completed(AnalysisOptions options, const Tuning& tuning) {
  fill(options.amalgamation, tuning.amalgamation);
  fill(options.panel_width, tuning.panel_width);
  fill(options.narrow_panel_width, tuning.narrow_panel_width);
  return options;
}

FactorOptions completed(FactorOptions options, const Tuning& tuning) {
  fill(options.subtrees_per_worker, tuning.subtrees_per_worker);
  fill(options.tile_rows, tuning.tile_rows);
  return options;
}

}  // namespace espalier
