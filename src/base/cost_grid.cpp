// SPDX-License-Identifier: BSD-3-Clause
#include "base/cost_grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace espalier {

namespace {

/// A dimension between two sizes of the grid: the class of the lower one, that of the upper one,
/// and how far it is on the way.
struct Place {
  int below;
  int above;
  double share;
};

Place place(double size, int classes) {
  const auto whole = static_cast<std::uint64_t>(std::max(size, 1.0));
  const int below = std::bit_width(whole) - 1;
  if (below >= classes - 1) return {classes - 1, classes - 1, 0};
  const auto lower = static_cast<double>(std::uint64_t{1} << below);
  return {below, below + 1, std::max(size, 1.0) / lower - 1};
}

double between(double lower, double upper, double share) { return lower + share * (upper - lower); }

}  // namespace

std::size_t CostGrid::points() const {
  return static_cast<std::size_t>(classes[0]) * classes[1] * classes[2];
}

double CostGrid::at(double x, double y, double z) const {
  const Place first = place(x, classes[0]);
  const Place second = place(y, classes[1]);
  const Place third = place(z, classes[2]);
  const auto along_third = [&](int a, int b) {
    return between(seconds[point({a, b, third.below})], seconds[point({a, b, third.above})],
                   third.share);
  };
  const auto along_second = [&](int a) {
    return between(along_third(a, second.below), along_third(a, second.above), second.share);
  };
  return between(along_second(first.below), along_second(first.above), first.share);
}

bool CostGrid::sound() const {
  const bool sizes = std::all_of(classes.begin(), classes.end(),
                                 [](int count) { return count >= 1 && count <= 40; });
  return sizes && seconds.size() == points() &&
         std::all_of(seconds.begin(), seconds.end(),
                     [](double value) { return std::isfinite(value) && value > 0; });
}

}  // namespace espalier
