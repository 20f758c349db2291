// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "matrix/matrix_part.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal::support {

/// Entries of the columns of a rank.
struct Triplets {
  std::vector<Index> row, column;
  std::vector<double> value;
  void add(Index i, Index j, double a) {
    row.push_back(i);
    column.push_back(j);
    value.push_back(a);
  }
};

/// Returns the entries of a rank, which has column j if (j / 3) mod ranks is its number. In every
/// second column, entries are given in the upper triangle if their mirror belongs to the same rank.
inline Triplets triplets_of(const SparseMatrix& a, Index rank, Index ranks) {
  Triplets part;
  for (Index j = 0; j < a.pattern.n; ++j) {
    if (j / 3 % ranks != rank) continue;
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      const Index i = a.pattern.row[k];
      const bool upper = i / 3 % ranks == rank && j % 2 == 1;
      part.add(upper ? j : i, upper ? i : j, a.value[k]);
    }
  }
  return part;
}

}  // namespace espalier::internal::support
