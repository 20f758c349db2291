// SPDX-License-Identifier: BSD-3-Clause

#include "mapping/kernel_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/dense.hpp"
#include "base/scalar.hpp"
#include "mapping/tuned.hpp"

namespace espalier::internal {

namespace {
/// Fraction of the full rate at a dimension; 1/2 at `half`.
double saturation(double dimension, double half) { return dimension / (dimension + half); }
}  // namespace

double KernelCost::potrf(double order) const {
  const double work = flops::potrf(order);
  if (measured) return work * measured->potrf.at(order);
  return call + work / (rate * saturation(order, half_order));
}

double KernelCost::trsm(double rows, double order) const {
  if (rows == 0) return 0;
  const double work = flops::trsm(rows, order);
  if (measured) return work * measured->trsm.at(rows, order);
  return call + work / (rate * saturation(order, half_order));
}

double KernelCost::update(double rows, double columns, double inner, Target target) const {
  if (columns == 0) return 0;
  if (measured) {
    const CostGrid& syrk = target == Target::again ? measured->syrk_again : measured->syrk;
    return flops::syrk(columns, inner) * syrk.at(columns, inner) +
           product(rows - columns, columns, inner, target);
  }
  const double speed = rate * saturation(inner, half_width) * saturation(columns, half_width / 2);
  const double entries = columns * (rows - columns) + columns * (columns + 1) / 2;
  return call + flops::trapezoid(rows, columns, inner) / speed + scattered * entries;
}

double KernelCost::product(double rows, double columns, double inner, Target target) const {
  if (rows == 0 || columns == 0) return 0;
  if (!measured) return gemm(rows, columns, inner) + scatter(rows, columns);
  const CostGrid& fused = target == Target::again ? measured->gemm_again : measured->gemm;
  return flops::gemm(rows, columns, inner) * fused.at(rows, columns, inner);
}

double KernelCost::gemm(double rows, double columns, double inner) const {
  if (rows == 0 || columns == 0) return 0;
  const double work = flops::gemm(rows, columns, inner);
  if (!measured) {
    return call +
           work / (rate * saturation(inner, half_width) * saturation(columns, half_width / 2));
  }
  if (!measured->gemm_alone.seconds.empty()) {
    return work * measured->gemm_alone.at(rows, columns, inner);
  }
  return std::max(product(rows, columns, inner) - scatter(rows, columns), 0.0);
}

double KernelCost::scatter(double rows, double columns) const {
  if (!measured) return scattered * rows * columns;
  if (measured->scatter.seconds.empty()) return product(rows, columns, 1);
  return rows * columns * measured->scatter.at(rows, columns);
}

double KernelCost::fill(double entries, double columns) const {
  return entries * (measured ? measured->fill : copied) + columns * column;
}

double KernelCost::reduce(double entries) const {
  const double side = std::sqrt(entries);
  return entries * (measured ? measured->read : copied) + product(side, side, 1);
}

double KernelCost::solve(double entries, double rows, double columns) const {
  const MappingConstants& constants = mapping_constants;
  const double streamed =
      (entries + constants.entries_per_row * rows) *
      (measured ? measured->read : static_cast<double>(scalar.bytes) / constants.bytes_per_second);
  return std::max(streamed, flops::solve(entries, columns) / (0.5 * rate));
}

double KernelCost::task(TaskKind kind, double kernels, double flops) const {
  return measured ? kernels * measured->history.factor({kind, flops, kernels, entries}) : kernels;
}

KernelCost kernels_on(const DeviceTable& device, const KernelCost& host) {
  if (!device.measured()) return host;
  auto table =
      host.measured ? std::make_shared<CostTable>(*host.measured) : std::make_shared<CostTable>();
  table->syrk = table->syrk_again = device.syrk;
  table->gemm = table->gemm_again = device.gemm;
  table->gemm_alone = device.gemm_alone;
  table->scatter = device.scatter;
  if (!device.potrf.seconds.empty()) table->potrf = device.potrf;
  if (!device.trsm.seconds.empty()) table->trsm = device.trsm;
  if (device.fill > 0) table->fill = device.fill;
  KernelCost cost = host;
  cost.measured = std::move(table);
  return cost;
}

namespace {

constexpr Index window = 128;  ///< columns whose values of A stay in the first-level cache
constexpr Index windows = 16;
/// Minimum number of columns for sampling. With fewer columns, some cache holds all values of A.
constexpr Index sampled_from = 1024;
constexpr Count line_entries = scalar.entries_of_line();

/// Returns how many cache lines with values of A's columns [first, last) are loaded. A line counts
/// once for each window of columns of L that needs it.
Count lines_needed(const PatternView& pattern, std::span<const Index> new_of, Index first,
                   Index last) {
  std::array<Index, line_entries> window_for;  ///< windows that need the current line
  auto end = window_for.begin();
  Count needed = 0;
  const auto close_line = [&] {
    needed += end - window_for.begin();
    end = window_for.begin();
  };
  for (Index j = first; j < last; ++j) {
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      if (k % line_entries == 0) close_line();
      const Index reader = std::min(new_of[j], new_of[pattern.row[k]]) / window;
      if (std::find(window_for.begin(), end, reader) == end) *end++ = reader;
    }
  }
  close_line();
  return needed;
}

double entries_a_column(const PatternView& pattern) {
  return static_cast<double>(pattern.entries()) / std::max<Index>(pattern.n, 1);
}

}  // namespace

double lines_a_column(const PatternView& pattern, std::span<const Index> new_of) {
  if (pattern.n < sampled_from) return entries_a_column(pattern) / line_entries;
  Count lines = 0;
  for (Index w = 0; w < windows; ++w) {
    const auto first = static_cast<Index>(Count{pattern.n - window} * w / (windows - 1));
    lines += lines_needed(pattern, new_of, first, first + window);
  }
  return static_cast<double>(lines) / (window * windows);
}

MatrixFacts facts_of(const PatternView& pattern, std::span<const Index> new_of, Count entries) {
  return {static_cast<double>(entries), entries_a_column(pattern), lines_a_column(pattern, new_of)};
}

KernelCost cost_for(const MatrixFacts& matrix, std::shared_ptr<const CostTable> measured) {
  KernelCost cost;
  cost.measured = std::move(measured);
  cost.entries = matrix.entries;
  const double of_a = matrix.entries_a_column;
  const double others = matrix.lines_a_column - of_a / line_entries;
  cost.column = of_a * (cost.measured ? cost.measured->take : cost.taken) +
                std::max(others, 0.0) * (cost.measured ? cost.measured->line : cost.line);
  return cost;
}

}  // namespace espalier::internal
