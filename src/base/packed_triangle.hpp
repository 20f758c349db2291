// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "espalier/types.hpp"

namespace espalier {

/// The lower triangle of a square matrix in little more than half of the square: columns are stored
/// in strips, each with the rows from the strip's first diagonal entry on.
///
///   strip 0: columns [0, w), rows [0, n);  strip 1: columns [w, 2w), rows [w, n);  ...
class PackedTriangle {
 public:
  static constexpr Index strip_width = 128;

  PackedTriangle(double* data, Index order) : data_(data), order_(order) {}

  static Count entries(Index order) {
    Count sum = 0;
    for (Index begin = 0; begin < order; begin += strip_width) {
      sum += static_cast<Count>(order - begin) * std::min(strip_width, order - begin);
    }
    return sum;
  }

  Index order() const { return order_; }
  static Index strip_of(Index column) { return column / strip_width * strip_width; }
  Index strip_end(Index column) const {
    return std::min<Index>(strip_of(column) + strip_width, order_);
  }
  /// Distance between columns of the strip that a column belongs to.
  Count ld(Index column) const { return order_ - strip_of(column); }
  /// Entry (row, column), row not above the column's strip. Columns of a strip are ld apart.
  double* at(Index row, Index column) const {
    const Count strip = strip_of(column);
    const Count strips = strip / strip_width;
    // All strips before this one are full: n, n - w, n - 2w, ... rows of w columns.
    const Count before =
        strip_width * (strips * order_ - strip_width * (strips * (strips - 1) / 2));
    return data_ + before + (column - strip) * (order_ - strip) + (row - strip);
  }

 private:
  double* data_;
  Index order_;
};

}  // namespace espalier
