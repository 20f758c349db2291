// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/dense.hpp"
#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

/// \file
/// The pivots that a diagonal block has chosen, stored in the block itself. So another rank or an
/// accelerator that receives the block learns them without another message. Swaps and rotations lie
/// above the diagonal, which kernels leave alone, in rows 0 and 1 of a block of w columns:
///
/// - w = 2: (0, 1) has the tangent of the rotation, or else 2 + swap[0].
/// - w > 2: (0, 1) has the tangent of a rotation of columns 0 and 1, or of columns 1 and 2, which
///   exclude each other. (0, j) has swap[j] for j > 1. (1, 2) has swap[0] + w (swap[1] + w r),
///   where r is 1 if columns 1 and 2 are rotated, else 0. (1, k + 1) has the tangent of a rotation
///   of columns k and k + 1 for k > 1. A tangent of 0 stands for no rotation.
///
/// The signs J are in the first row, see put_sign(). They are there also in each tile below, so
/// that updates by one tile know J. Numbers change by at most one unit in the last place.

namespace espalier::internal {

/// Returns the number with a sign in the last bit of its fraction, 1 for -1. A zero has no such bit
/// to spare, because it must stay 0; its sign is that of the zero.
constexpr double put_sign(double number, double sign) {
  const std::uint64_t rest = std::bit_cast<std::uint64_t>(number) & ~std::uint64_t{1};
  if (std::bit_cast<double>(rest) == 0) return sign < 0 ? -0.0 : 0.0;
  return std::bit_cast<double>(rest | (sign < 0 ? 1U : 0U));
}

/// Returns the sign of put_sign(): 1 or -1.
constexpr double sign_in(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const std::uint64_t is_negative = number == 0 ? bits >> 63 : bits & 1U;
  return is_negative != 0 ? -1 : 1;
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

/// Stores swap(k) and tangent(k) of each column k of the block, and its signs.
template <class Swap, class Tangent>
void pack(MatrixView block, Signs sign, Swap swap, Tangent tangent) {
  const Index w = block.columns;
  if (w == 2) block(0, 1) = tangent(0) != 0 ? tangent(0) : 2 + swap(0);
  if (w > 2) {
    const double width = w;
    const double is_second = tangent(1) != 0 ? 1 : 0;
    block(0, 1) = is_second > 0 ? tangent(1) : tangent(0);
    block(1, 2) = swap(0) + width * (swap(1) + width * is_second);
    for (Index k = 2; k < w; ++k) block(0, k) = swap(k);
    for (Index k = 2; k + 1 < w; ++k) block(1, k + 1) = tangent(k);
  }
  put_signs(block, sign);
}

/// Stores the pivots in the block, after its factorization. The block has at most 100,000 columns.
/// The tangents of the rotations have magnitudes of at most 1.
inline void pack_pivots(MatrixView block, const ChosenPivots& pivots) {
  const auto tangent = [&](Index k) { return pivots.rotation[k].sine / pivots.rotation[k].cosine; };
  pack(
      block, pivots.sign, [&](Index k) { return pivots.swap[k]; }, tangent);
}

/// Stores given signs in the block likewise, without swaps and rotations.
inline void pack_signs(MatrixView block, Signs sign) {
  pack(
      block, sign, [](Index k) { return k; }, [](Index /*k*/) { return 0.0; });
}

/// Reads the signs of the columns from the first row of a tile.
inline void take_signs(ConstMatrixView tile, double* sign) {
  for (Index k = 0; k < tile.columns; ++k) sign[k] = sign_in(tile(0, k));
}

/// The swaps and tangents of pack_pivots() in a block of this many columns. The tangents agree with
/// the given ones up to rounding. After a failed pivot check the block may have any numbers; the
/// swaps then stay within the block, so that tasks that do not know of the failure do no harm.
struct PackedPivots {
  const double* block;
  Count ld;
  Index columns;

  /// Returns the column that is swapped with column k.
  constexpr Index swap(Index k) const {
    if (columns <= 2) return columns == 2 && k == 0 ? checked(at(0, 1) - 2, k) : k;
    if (k > 1) return checked(at(0, k), k);
    return checked(static_cast<double>(k == 0 ? corner() % columns : corner() / columns % columns),
                   k);
  }
  /// Returns the tangent of the rotation of columns k and k + 1, and 0 if there is none.
  constexpr double tangent(Index k) const {
    if (k + 1 >= columns) return 0;
    if (columns == 2) return at(0, 1) <= 1.5 ? at(0, 1) : 0;
    if (k > 1) return at(1, k + 1);
    return corner() / columns / columns == k ? at(0, 1) : 0;
  }

 private:
  constexpr double at(Index i, Index j) const { return block[i + j * ld]; }
  constexpr Count corner() const {
    const double most = 2.0 * columns * columns;
    return at(1, 2) >= 0 && at(1, 2) < most ? static_cast<Count>(at(1, 2)) : 0;
  }
  constexpr Index checked(double column, Index k) const {
    return column >= k && column < columns ? static_cast<Index>(column) : k;
  }
};

/// Reads the swaps and rotations of pack_pivots() from the block.
inline void take_swaps(ConstMatrixView block, Index* swap, Rotation* rotation) {
  const PackedPivots packed{block.data, block.ld, block.columns};
  for (Index k = 0; k < block.columns; ++k) {
    swap[k] = packed.swap(k);
    rotation[k] = rotation_by(packed.tangent(k));
  }
}

}  // namespace espalier::internal
