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
  /// `first` is the first column of the block. `all` must outlive this object.
  PivotsWithSigns(const SignedPivots& all, Index first)
      : all_(all), first_(first), sign_(all.sign + first) {}
  double sign(Index column) const { return sign_[column]; }
  /// Returns whether a pivot passes its check or was replaced.
  bool accept(Index column, double& pivot) const {
    const double magnitude = sign(column) * pivot;
    if (magnitude > all_.least && magnitude <= largest) return true;
    const bool finite = magnitude >= -largest && magnitude <= largest;
    if (!finite || !(all_.replacement > 0)) return false;
    pivot = sign(column) * all_.replacement;
    if (all_.replaced != nullptr) all_.replaced[first_ + column] = 1;
    return true;
  }
  template <class Isa>
  typename Isa::Vector times_sign(typename Isa::Vector x, Index column) const {
    return Isa::multiply(x, Isa::broadcast(sign(column)));
  }

 private:
  static constexpr double largest = std::numeric_limits<double>::max();
  const SignedPivots& all_;
  Index first_;
  Signs sign_;
};

}  // namespace
}  // namespace espalier::internal::simd
