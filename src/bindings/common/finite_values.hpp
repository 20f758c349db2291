// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "espalier/espalier.hpp"

namespace espalier::internal {

/// How an application counts and stores the entries of a symmetric matrix.
struct EntryNames {
  Index base = 0;      ///< number of the first row and of the first column
  bool upper = false;  ///< whether the application stores the upper triangle
};

/// Throws InputError if a value of the matrix is not finite. The message names its row and column
/// as the application does. Accepts a pattern without values. Cost O(entries).
inline void expect_finite_values(const Matrix& matrix, EntryNames names) {
  if (matrix.values().empty()) return;
  for (Index j = 0; j < matrix.size(); ++j) {
    for (Count k = matrix.column_begin()[j]; k < matrix.column_begin()[j + 1]; ++k) {
      if (std::isfinite(matrix.values()[k])) continue;
      Count row = Count{matrix.rows()[k]} + names.base;
      Count column = Count{j} + names.base;
      if (names.upper) std::swap(row, column);
      throw InputError("row " + std::to_string(row) + " has a value in column " +
                       std::to_string(column) + " that is not finite, counted from " +
                       std::to_string(names.base));
    }
  }
}

/// Returns the result of `work`, which uses the matrix. If it refuses a value that is not finite,
/// the error is that of expect_finite_values().
template <class Work>
auto with_names(const Matrix& matrix, EntryNames names, Work work) {
  try {
    return work();
  } catch (const InputError&) {
    expect_finite_values(matrix, names);
    throw;
  }
}

}  // namespace espalier::internal
