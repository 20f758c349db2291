// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/kernel_cost.hpp"

#include <algorithm>
#include <utility>

#include "base/flops.hpp"

namespace espalier {

namespace {
/// Share of the full rate at a dimension, one half at `half`.
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
  const double work = flops::gemm(rows, columns, inner);
  if (measured) {
    const CostGrid& gemm = target == Target::again ? measured->gemm_again : measured->gemm;
    return work * gemm.at(rows, columns, inner);
  }
  const double speed = rate * saturation(inner, half_width) * saturation(columns, half_width / 2);
  return call + work / speed + scattered * rows * columns;
}

double KernelCost::fill(double entries, double columns) const {
  return entries * (measured ? measured->fill : copied) + columns * column;
}

double KernelCost::solve(double entries, double columns) const {
  constexpr double bytes_a_second = 16e9;
  const double streamed = entries * (measured ? measured->read : 8 / bytes_a_second);
  return std::max(streamed, 2 * entries * columns / (0.5 * rate));
}

double KernelCost::task(TaskKind kind, double seconds, double flops, double inner) const {
  return measured ? seconds * measured->history.factor(kind, flops, inner) : seconds;
}

KernelCost kernels_on(const DeviceTable& device, const KernelCost& host) {
  if (!device.measured()) return host;
  auto table =
      host.measured ? std::make_shared<CostTable>(*host.measured) : std::make_shared<CostTable>();
  table->syrk = table->syrk_again = device.syrk;
  table->gemm = table->gemm_again = device.gemm;
  KernelCost cost = host;
  cost.measured = std::move(table);
  return cost;
}

}  // namespace espalier
