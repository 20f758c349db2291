// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/equilibration.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace espalier::internal {

namespace {

/// Logarithm of a missing entry.
constexpr float no_entry = -std::numeric_limits<float>::infinity();

/// Number of passes that equilibrate any matrix of doubles.
constexpr int most_passes = 13;

/// Products of two scales neither overflow nor lose bits.
constexpr float largest_exponent = 511;

/// Returns log2|value|, interpolated linearly between powers of two, with an error of at most 0.09.
/// It reads the upper half of the double: exponent and first bits of the fraction.
float coarse_log2(double value) {
  constexpr std::int32_t smallest_normal = 1 << 20;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto upper = static_cast<std::int32_t>((bits >> 32) & 0x7fffffffU);
  if (upper >= smallest_normal) return static_cast<float>(upper) * 0x1p-20F - 1023;
  return value == 0 ? no_entry : static_cast<float>(std::ilogb(value));
}

/// Sets maximum[i] to the largest log2|a_ij| + x[j] of row i, no_entry for a row of zeros.
void find_row_maxima(const SparseMatrixView& a, const std::vector<float>& x,
                     std::vector<float>& maximum) {
  std::fill(maximum.begin(), maximum.end(), no_entry);
  const auto& pattern = a.pattern;
  for (Index j = 0; j < pattern.n; ++j) {
    float of_column = no_entry;
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      const Index i = pattern.row[k];
      const float entry = coarse_log2(a.value[k]);
      of_column = std::max(of_column, entry + x[i]);
      maximum[i] = std::max(maximum[i], entry + x[j]);
    }
    maximum[j] = std::max(maximum[j], of_column);
  }
}

/// Scales each row and its column by the square root of the row's largest scaled entry. Returns
/// whether the largest entries of all rows differed by a factor of at most 2 before.
bool scale_rows(const std::vector<float>& maximum, std::vector<float>& x) {
  float lowest = std::numeric_limits<float>::max(), highest = std::numeric_limits<float>::lowest();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (maximum[i] == no_entry) continue;
    const float scaled = maximum[i] + x[i];
    lowest = std::min(lowest, scaled);
    highest = std::max(highest, scaled);
    x[i] -= scaled / 2;
  }
  return highest - lowest <= 1;
}

double nearest_power_of_two(float exponent) {
  const float limited = std::clamp(exponent, -largest_exponent, largest_exponent);
  const auto whole = static_cast<std::int64_t>(std::floor(limited + 0.5F));
  return std::bit_cast<double>((whole + 1023) << 52);
}

}  // namespace

std::vector<double> equilibration(const SparseMatrixView& a) {
  std::vector<float> x(static_cast<std::size_t>(a.pattern.n));
  std::vector<float> maximum(x.size());
  for (int pass = 0; pass < most_passes; ++pass) {
    find_row_maxima(a, x, maximum);
    if (scale_rows(maximum, x)) break;
  }
  std::vector<double> scale(x.size());
  std::transform(x.begin(), x.end(), scale.begin(), nearest_power_of_two);
  return scale;
}

}  // namespace espalier::internal
