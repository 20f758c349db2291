// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/kernel_cost.hpp"

#include <algorithm>

#include "base/flops.hpp"

namespace espalier {

namespace {
/// Share of the full rate at a dimension, one half at `half`.
double saturation(double dimension, double half) { return dimension / (dimension + half); }
}  // namespace

double KernelCost::potrf(double order) const {
  return call + flops::potrf(order) / (rate * saturation(order, half_order));
}

double KernelCost::trsm(double rows, double order) const {
  if (rows == 0) return 0;
  return call + flops::trsm(rows, order) / (rate * saturation(order, half_order));
}

double KernelCost::update(double rows, double columns, double inner) const {
  if (columns == 0) return 0;
  const double speed = rate * saturation(inner, half_width) * saturation(columns, half_width / 2);
  const double entries = columns * (rows - columns) + columns * (columns + 1) / 2;
  return call + flops::trapezoid(rows, columns, inner) / speed + scattered * entries;
}

double KernelCost::solve(double entries, double columns) const {
  constexpr double bytes_a_second = 16e9;
  return std::max(8 * entries / bytes_a_second, 2 * entries * columns / (0.5 * rate));
}

}  // namespace espalier
