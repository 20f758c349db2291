// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "base/memory.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Makes a matrix column by column. The rows of a column ascend and begin with the diagonal.
class ColumnWriter {
 public:
  /// Reserves memory for at most `entries` entries. Throws MemoryError if it is not available.
  ColumnWriter(Index n, Count entries) {
    expect_available("the matrix", bytes_of_matrix(n, entries));
    matrix_.pattern.n = n;
    matrix_.pattern.column_begin.reserve(static_cast<std::size_t>(n) + 1);
    matrix_.pattern.row.reserve(entries);
    matrix_.value.reserve(entries);
  }
  /// Returns the number of the column that is being written.
  Index column() const { return static_cast<Index>(matrix_.pattern.column_begin.size()) - 1; }
  void entry(Index row, double value) {
    matrix_.pattern.row.push_back(row);
    matrix_.value.push_back(value);
  }
  void end_column() {
    matrix_.pattern.column_begin.push_back(static_cast<Count>(matrix_.pattern.row.size()));
  }
  SparseMatrix finish() { return std::move(matrix_); }

 private:
  SparseMatrix matrix_;
};

}  // namespace espalier::internal
