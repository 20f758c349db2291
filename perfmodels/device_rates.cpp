// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/device_rates.hpp"

#include <algorithm>
#include <array>

#include "base/dense.hpp"
#include "base/scalar.hpp"

namespace espalier::internal {

namespace {

constexpr int tall = 14;  ///< sizes 1 to 8192
constexpr int wide = 13;  ///< sizes 1 to 4096
constexpr double entry_bytes = scalar.bytes;

double share_of_rate(double dimension, double half) { return dimension / (dimension + half); }

/// Returns the grid of seconds(x, y, z), the time per operation, over powers of two.
template <class Seconds>
CostGrid grid_of(std::array<int, 3> classes, Seconds seconds) {
  CostGrid grid{classes, {}};
  grid.seconds.reserve(grid.points());
  for (int x = 0; x < classes[0]; ++x) {
    for (int y = 0; y < classes[1]; ++y) {
      for (int z = 0; z < classes[2]; ++z) {
        grid.seconds.push_back(seconds(double(1 << x), double(1 << y), double(1 << z)));
      }
    }
  }
  return grid;
}

}  // namespace

void estimate_kernels(const DeviceRates& rates, DeviceTable& table) {
  // (1 + 0.355)² (1 + 0.355 / 4) = 2, so a square product of order half_order has half the rate.
  const double half = 0.355 * rates.half_order;
  const double half_inner = half / 4;
  const auto alone = [&](double m, double n, double k) {
    const double share =
        share_of_rate(m, half) * share_of_rate(n, half) * share_of_rate(k, half_inner);
    return 1 / (rates.flops * share);
  };
  const auto product = [&](double m, double n, double k) {
    const double copies = 2 * entry_bytes * m * n / rates.memory_bytes;
    return std::max(alone(m, n, k), copies / flops::gemm(m, n, k));
  };
  table.gemm = grid_of({tall, wide, wide}, product);
  table.gemm_alone = grid_of({tall, wide, wide}, alone);
  table.scatter = grid_of(
      {1, 1, 1}, [&](double, double, double) { return 3 * entry_bytes / rates.memory_bytes; });
  table.syrk =
      grid_of({wide, wide, 1}, [&](double n, double k, double) { return product(n, n, k); });
  table.trsm = grid_of({tall, wide, 1}, [&](double m, double n, double) {
    return 1 / (rates.flops * share_of_rate(m, half) * share_of_rate(n, 2 * rates.half_order));
  });
  table.potrf = grid_of({wide, 1, 1}, [&](double n, double, double) {
    const double share = share_of_rate(n, 9 * rates.half_order);
    return 1 / (rates.flops * share * share);
  });
  table.fill = entry_bytes / rates.memory_bytes;
}

}  // namespace espalier::internal
