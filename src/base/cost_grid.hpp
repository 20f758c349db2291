// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace espalier {

/// What one operation of a kernel costs, in seconds, measured where every dimension is a power of
/// two: 1, 2, 4, ... Between two of them the cost is linear in the dimension; beyond the last one
/// it stays. (Linear within a factor of two rather than in logarithms: a lookup takes no logarithm,
/// and a plan makes some hundred thousand.)
struct CostGrid {
  /// Number of sizes along each dimension; 1 for a dimension that the kernel does not have.
  std::array<int, 3> classes{1, 1, 1};
  std::vector<double> seconds;  ///< positive; the last dimension runs fastest

  std::size_t points() const;
  std::size_t point(std::array<int, 3> c) const {
    return (static_cast<std::size_t>(c[0]) * classes[1] + c[1]) * classes[2] + c[2];
  }
  /// Seconds an operation for dimensions of at least 1. Cost O(1).
  double at(double x, double y = 1, double z = 1) const;
  /// True where there are as many values as points, all positive and finite.
  bool sound() const;
};

}  // namespace espalier
