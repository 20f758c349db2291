// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "codelets/kernels.hpp"

namespace espalier::internal::simd {
namespace {

/// The pivot checks of A = L Lᵀ.
struct PositivePivots {
  /// Returns whether a pivot passes its check.
  static bool accept(Index /*column*/, double pivot) { return pivot > 0; }
  static constexpr double sign(Index /*column*/) { return 1; }
  /// Returns a vector of a column of the triangle times the sign of the column.
  template <class Isa>
  static typename Isa::Vector times_sign(typename Isa::Vector x, Index /*column*/) {
    return x;
  }
};

/// The pivot checks of A = L J Lᵀ for a block of columns.
class PivotsWithSigns {
 public:
  /// `first` is the first column of the block.
  PivotsWithSigns(const SignedPivots& all, Index first) : given_(all) {
    given_.sign += first;
    if (given_.replaced != nullptr) given_.replaced += first;
  }
  double sign(Index column) const { return given_.sign[column]; }
  /// Returns whether a pivot passes its check or was replaced.
  bool accept(Index column, double& pivot) const {
    const double magnitude = sign(column) * pivot;
    if (magnitude > given_.least && magnitude <= largest) return true;
    const bool finite = magnitude >= -largest && magnitude <= largest;
    if (!finite || !(given_.replacement > 0)) return false;
    pivot = sign(column) * given_.replacement;
    if (given_.replaced != nullptr) given_.replaced[column] = 1;
    return true;
  }
  template <class Isa>
  typename Isa::Vector times_sign(typename Isa::Vector x, Index column) const {
    return Isa::multiply(x, Isa::broadcast(sign(column)));
  }

 private:
  static constexpr double largest = std::numeric_limits<double>::max();
  SignedPivots given_;
};

}  // namespace
}  // namespace espalier::internal::simd
