// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier {

/// A rows-by-columns matrix by columns in somebody else's memory: entry (i, j) is data[i + j * ld].
template <class T>
struct BasicMatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Count ld = 0;

  T& operator()(Index i, Index j) const { return data[i + j * ld]; }
  T* column(Index j) const { return data + j * ld; }
  /// Rows [begin, begin + count) of all columns.
  BasicMatrixView row_range(Index begin, Index count) const {
    return {data + begin, count, columns, ld};
  }
  BasicMatrixView column_range(Index begin, Index count) const {
    return {data + begin * ld, rows, count, ld};
  }
  operator BasicMatrixView<const T>() const { return {data, rows, columns, ld}; }
};

using MatrixView = BasicMatrixView<double>;
using ConstMatrixView = BasicMatrixView<const double>;

}  // namespace espalier
