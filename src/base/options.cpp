// SPDX-License-Identifier: BSD-3-Clause

#include "base/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "espalier/error.hpp"

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

namespace {

constexpr double unlimited = std::numeric_limits<Index>::max();

constexpr std::array<OptionInfo, 23> table{{
    {"factorizations", 1, 1e9, "factorizations expected to follow; decides how much ordering pays"},
    {"coprocessors", 0, 16, "other processes that run tasks for this one, by StarPU's TCP/IP mode"},
    {"coprocessor-threads", 1, 256, "tasks that each of them runs at a time"},
    {"cuda-devices", 0, 64,
     "CUDA devices that run tasks, of each rank; where there are fewer, all that there are. "
     "Several ranks solve on CPUs alone"},
    {"device-memory", 0, 1e18,
     "bytes of data (500M, 2.5G) that each device may have; under halo the tiles that its workers "
     "read at once may come beside: offload.device_bytes in the report"},
    {"workers", 0, 4096, "CPU workers; 0: as many as STARPU_NCPU says, else as there are cores"},
    {"panel-width", 8, 8192, "wider supernodes are split into panels of about this many columns"},
    {"narrow-panel-width", 8, 8192,
     "panels that would be too much of all the work may be this narrow"},
    {"subtrees-per-worker", 1, 1000, "least number of subtrees that a worker's share is cut into"},
    {"tile-rows", 1, 1000000,
     "least rows of a tile; unless set, twice as many under several ranks"},
    {"amalgamation-width", 0, unlimited, "four limits on the columns of a merged supernode"},
    {"amalgamation-zeros", 0, 1, "four limits on its share of explicit zeros"},
    {"time", 1, 86400, "seconds for all searches, besides ordering and measuring"},
    {"rounds", 1, 1000, "searches, each with what was measured after those before"},
    {"iterations", 0, 1e9, "tunings that each search looks at; 0: until its time is over"},
    {"seed", 0, 1e9, "of the first search"},
    {"memory-limit", 0, 9e18,
     "bytes (500M, 2.5G) that the predicted peak may not pass; 0: no limit"},
    {"grid", 1, 65536, "rows and columns of a grid of ranks"},
    {"refine", 0, 100, "most steps of iterative refinement; they stop when they no longer help"},
    {"nrhs", 1, 100000, "right-hand sides; the k-th is k A (1, ..., 1)"},
    {"parts", 0, 65536, "files of consecutive columns, one for each rank; 0: one file of all"},
    {"watchdog", 0, 86400,
     "under mpirun all end when a rank gives no sign of life for so many seconds; 0: never"},
    {"repeat", 1, 1000000, "factorizations to run, each with the same values"},
}};

}  // namespace

std::span<const OptionInfo> numeric_options() { return table; }

const OptionInfo& option(std::string_view name) {
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const OptionInfo& info) { return info.name == name; });
  if (at == table.end()) throw std::out_of_range("no option " + std::string(name));
  return *at;
}

void expect_in_range(std::string_view name, double value) {
  const OptionInfo& info = option(name);
  if (info.lowest <= value && value <= info.highest) return;
  throw UsageError(fmt::format("{} is {}, outside of its range {} to {}", name, value, info.lowest,
                               info.highest));
}

void validate(const AnalysisOptions& options) {
  expect_in_range("factorizations", options.factorizations);
  expect_in_range("workers", options.workers);
  const AnalysisOptions complete = completed(options, Tuning{});
  expect_in_range("panel-width", *complete.panel_width);
  expect_in_range("narrow-panel-width", *complete.narrow_panel_width);
  for (const Index width : complete.amalgamation->widths) {
    expect_in_range("amalgamation-width", width);
  }
  for (const double zeros : complete.amalgamation->zeros) {
    expect_in_range("amalgamation-zeros", zeros);
  }
}

void validate(const FactorOptions& options) {
  const FactorOptions complete = completed(options, Tuning{});
  expect_in_range("subtrees-per-worker", *complete.subtrees_per_worker);
  expect_in_range("tile-rows", *complete.tile_rows);
  expect_in_range("memory-limit", static_cast<double>(options.memory_limit));
}

void validate(const RuntimeOptions& options) {
  expect_in_range("workers", options.workers);
  expect_in_range("cuda-devices", options.cuda_devices);
}

void validate(const SolveOptions& options) { expect_in_range("refine", options.refinement_steps); }

}  // namespace espalier
