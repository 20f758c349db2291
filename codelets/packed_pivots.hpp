// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/dense.hpp"
#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

/// \file
/// The pivots that a diagonal block has chosen, stored in the block itself. So another rank that
/// receives the block learns them without another message. Swaps and rotations lie above the
/// diagonal, which kernels leave alone, in rows 0 and 1 of a block of w columns:
///
/// - w = 2: (0, 1) has the tangent of the rotation, or else 2 + swap[0].
/// - w > 2: (0, 1) has the tangent of a rotation of columns 0 and 1, or of columns 1 and 2. Both
///   cannot occur. (0, j) has swap[j] for j > 1. (1, 2) has swap[0] + w (swap[1] + w r), where r is
///   1 if columns 1 and 2 are rotated, else 0. (1, k + 1) has the tangent of a rotation of columns
///   k and k + 1 for k > 1. A tangent of 0 stands for no rotation.
///
/// The signs J are in the first row, see put_sign(). They are there also in each tile below, so
/// that updates by one tile know J. Numbers change by at most one unit in the last place.

namespace espalier::internal {

/// Returns the number with a sign in the last bit of its fraction, 1 for -1. A zero has no such bit
/// to spare, because it must stay 0; its sign is that of the zero.
inline double put_sign(double number, double sign) {
  const std::uint64_t rest = std::bit_cast<std::uint64_t>(number) & ~std::uint64_t{1};
  if (std::bit_cast<double>(rest) == 0) return std::copysign(0.0, sign);
  return std::bit_cast<double>(rest | (sign < 0 ? 1U : 0U));
}

/// Returns the sign of put_sign(): 1 or -1.
inline double sign_in(double number) {
  if (number == 0) return std::copysign(1.0, number);
  return (std::bit_cast<std::uint64_t>(number) & 1U) != 0 ? -1 : 1;
}

/// Puts the signs of the columns into the first row of a tile.
inline void put_signs(MatrixView tile, Signs sign) {
  for (Index k = 0; k < tile.columns; ++k) tile(0, k) = put_sign(tile(0, k), sign[k]);
}

/// Returns the rotation with this tangent. All ranks compute the same bits.
inline Rotation rotation_by(double tangent) {
  if (tangent == 0) return {};
  const double cosine = 1 / std::hypot(1, tangent);
  return {cosine, tangent * cosine};
}

/// Stores the pivots in the block, after its factorization. The block has at most 100,000 columns.
/// The tangents of the rotations have magnitudes of at most 1.
inline void pack_pivots(MatrixView block, const ChosenPivots& pivots) {
  const Index w = block.columns;
  const auto tangent = [&](Index k) {
    const Rotation& rotation = pivots.rotation[k];
    return rotation.sine / rotation.cosine;
  };
  if (w == 2) block(0, 1) = tangent(0) != 0 ? tangent(0) : 2 + pivots.swap[0];
  if (w > 2) {
    const double width = w;
    const double is_second = tangent(1) != 0 ? 1 : 0;
    block(0, 1) = is_second > 0 ? tangent(1) : tangent(0);
    block(1, 2) = pivots.swap[0] + width * (pivots.swap[1] + width * is_second);
    for (Index k = 2; k < w; ++k) block(0, k) = pivots.swap[k];
    for (Index k = 2; k + 1 < w; ++k) block(1, k + 1) = tangent(k);
  }
  put_signs(block, pivots.sign);
}

/// Reads the signs of the columns from the first row of a tile.
inline void take_signs(ConstMatrixView tile, double* sign) {
  for (Index k = 0; k < tile.columns; ++k) sign[k] = sign_in(tile(0, k));
}

/// Reads the swaps and rotations of pack_pivots() from the block. The rotations agree with the
/// given ones up to rounding.
inline void take_swaps(ConstMatrixView block, Index* swap, Rotation* rotation) {
  const Index w = block.columns;
  for (Index k = 0; k < w; ++k) {
    swap[k] = k;
    rotation[k] = {};
  }
  if (w == 2) {
    const double slot = block(0, 1);
    if (std::abs(slot) <= 1.5) {
      rotation[0] = rotation_by(slot);
    } else {
      swap[0] = static_cast<Index>(slot) - 2;
    }
  }
  if (w <= 2) return;
  auto packed = static_cast<Count>(block(1, 2));
  swap[0] = static_cast<Index>(packed % w);
  packed /= w;
  swap[1] = static_cast<Index>(packed % w);
  rotation[packed / w] = rotation_by(block(0, 1));
  for (Index k = 2; k < w; ++k) swap[k] = static_cast<Index>(block(0, k));
  for (Index k = 2; k + 1 < w; ++k) rotation[k] = rotation_by(block(1, k + 1));
}

}  // namespace espalier::internal
