// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace espalier::internal {

/// Logarithm of a missing entry.
constexpr float no_entry = -std::numeric_limits<float>::infinity();

/// Returns log2|value|, interpolated linearly between powers of two, with an error of at most 0.09;
/// no_entry for zero. It reads the upper half of the double: exponent and first bits of the
/// fraction.
inline float coarse_log2(double value) {
  constexpr std::int32_t smallest_normal = 1 << 20;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto upper = static_cast<std::int32_t>((bits >> 32) & 0x7fffffffU);
  if (upper >= smallest_normal) return static_cast<float>(upper) * 0x1p-20F - 1023;
  return value == 0 ? no_entry : static_cast<float>(std::ilogb(value));
}

}  // namespace espalier::internal
