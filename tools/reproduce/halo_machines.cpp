// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

#include "base/scalar.hpp"
#include "reproduce/halo.hpp"

namespace espalier::internal::halo {

namespace {

/// Sizes at which tables of kernels are shown.
constexpr std::array<Index, 7> sides{8, 32, 64, 128, 256, 512, 1024};
constexpr double inner = 128;

constexpr const char* unmeasured =
    "the kernels were not measured; run espalier calibrate, and espalier calibrate --coprocessors "
    "1";

/// Returns whether a table was measured at this size along a dimension. Beyond its last size it
/// would only repeat it.
bool covers(const CostGrid& grid, std::size_t dimension, Index size) {
  return size <= Index{1} << (grid.classes.at(dimension) - 1);
}

/// Returns a figure over pairs of sizes, with a line per number of columns. Sizes that the table
/// does not cover have no value.
Figure over_sides(const Bench& bench, const CostGrid& grid, const std::string& conditions,
                  std::pair<const char*, const char*> sizes, Unit unit,
                  const std::function<double(Index, Index)>& value) {
  Figure figure =
      curves(sizes.first, conditions + " Sizes outside the measured table have no value.");
  if (bench.coarse) {
    figure.conditions += " They were measured for these figures, by espalier calibrate --quick.";
  }
  for (const Index row : sides) {
    figure.rows.push_back(std::to_string(row));
    figure.positions.push_back(row);
  }
  for (const Index column : sides) {
    figure.columns.push_back({fmt::format("{} {}", sizes.second, column), unit, {}});
    for (const Index row : sides) {
      const bool known = covers(grid, 0, row) && covers(grid, 1, column);
      figure.columns.back().values.push_back(known ? exact(value(row, column)) : Value{});
    }
  }
  return figure;
}

/// Returns the minimum and the maximum of all columns.
std::pair<double, double> range_of(const Figure& figure) {
  std::pair range{std::numeric_limits<double>::infinity(), 0.0};
  for (const Column& column : figure.columns) {
    for (const Value& value : column.values) {
      if (value.missing()) continue;
      range = {std::min(range.first, value.median), std::max(range.second, value.median)};
    }
  }
  return range;
}

/// Returns the judgement for the tables of a simulated machine, which have one value per size. On
/// this machine the values have an unknown spread.
Judgement of_tables(const Bench& bench, Judgement judgement, const char* otherwise) {
  return bench.runs.simulated() ? std::move(judgement) : not_judged(otherwise);
}

/// Returns the highest rate of GEMM in the tables, in flops per second.
double best_rate(const CostGrid& gemm) {
  double best = 0;
  for (const Index side : sides) {
    if (!covers(gemm, 0, side) || !covers(gemm, 1, side) || !covers(gemm, 2, side)) continue;
    best = std::max(best, 1 / gemm.at(side, side, side));
  }
  return best;
}

}  // namespace

Figure machines(Bench& bench) {
  if (!bench.costs || !bench.device_costs) return not_run(unmeasured);
  Figure figure;
  figure.rows_are = "machine";
  figure.rows = {"IVB20C", "BABBAGE", bench.machine()};
  figure.conditions = fmt::format(
      "The last row is {}: the highest rate of GEMM in its table of kernels, for one worker times "
      "the number of workers, and the bandwidth of copies to the device. The rates of the other "
      "rows are theoretical peaks.",
      machine_of(bench));
  const auto column = [&](const char* label, Unit unit, std::array<double, 3> values) {
    figure.columns.push_back({label, unit, {}});
    for (const double value : values) {
      figure.columns.back().values.push_back(value > 0 ? exact(value) : Value{});
    }
  };
  const auto workers = static_cast<double>(beside(bench));
  column("cores", Unit::count, {20, 16, workers});
  column("all cores", Unit::flop_rate, {448e9, 332e9, workers * best_rate(bench.costs->gemm)});
  column("devices", Unit::count, {1, 2, static_cast<double>(std::max<Index>(1, bench.devices))});
  column("a device", Unit::flop_rate, {1063e9, 1008e9, best_rate(bench.device_costs->gemm)});
  const double byte = bench.device_costs->to.byte;
  column("link", Unit::rate, {8e9, 8e9, byte > 0 ? 1 / byte : 0});
  return figure;
}

Figure gemm_speedup(Bench& bench) {
  if (!bench.costs || !bench.device_costs) return not_run(unmeasured);
  const bool alone =
      !bench.costs->gemm_alone.seconds.empty() && !bench.device_costs->gemm_alone.seconds.empty();
  const CostGrid& host = alone ? bench.costs->gemm_alone : bench.costs->gemm;
  const CostGrid& device = alone ? bench.device_costs->gemm_alone : bench.device_costs->gemm;
  Figure figure = over_sides(
      bench, device,
      fmt::format("Speed of GEMM (m x k times k x n, k = {}) on one worker of a device over one "
                  "worker of the host, from the tables of kernels{}.",
                  inner, alone ? "" : ", which include SCATTER"),
      {"m", "n ="}, Unit::factor,
      [&](double m, double n) { return host.at(m, n, inner) / device.at(m, n, inner); });
  figure.values_are = "speed-up over the host";
  const auto [low, high] = range_of(figure);
  figure.claims.push_back(
      {"The gain varies widely with the sizes: the host is faster for some",
       of_tables(bench,
                 all_of({is_below(exact(low), exact(1)), is_below(exact(2 * low), exact(high))}),
                 "the coprocessor is a core like those of the host, so the ratio is noise"),
       fmt::format("{:.2f} to {:.2f}", low, high)});
  return figure;
}

Figure scatter_bandwidth(Bench& bench) {
  if (!bench.device_costs || bench.device_costs->scatter.seconds.empty()) {
    return not_run(unmeasured);
  }
  constexpr double bytes_an_entry = scalar.bytes_of(3);
  const CostGrid& scatter = bench.device_costs->scatter;
  Figure figure = over_sides(
      bench, scatter,
      "Bandwidth of SCATTER on one worker of the device, with three memory accesses per entry of "
      "the block.",
      {"b_x", "b_y ="}, Unit::rate,
      [&](double x, double y) { return bytes_an_entry / scatter.at(x, y); });
  figure.values_are = "bandwidth";
  const double high = range_of(figure).second;
  const double smallest = figure.columns.front().values.front().median;
  figure.claims.push_back(
      {"Small blocks reach less than half of the bandwidth",
       of_tables(bench, is_below(exact(smallest), exact(high / 2)),
                 "a calibration has one value per size, so its spread is unknown"),
       fmt::format("{} of {}", readable(smallest, Unit::rate), readable(high, Unit::rate))});
  return figure;
}

}  // namespace espalier::internal::halo
