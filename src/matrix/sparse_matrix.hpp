// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// The pattern of the lower triangle of a symmetric n-by-n matrix in compressed columns: the rows
/// of column j are row[column_begin[j] .. column_begin[j+1]), strictly ascending, the diagonal
/// first.
struct LowerPattern {
  Index n = 0;
  std::vector<Count> column_begin{0};  ///< n + 1 offsets
  std::vector<Index> row;

  Count entries() const { return column_begin.back(); }
  std::span<const Index> column(Index j) const {
    return {row.data() + column_begin[j], row.data() + column_begin[j + 1]};
  }
};

/// A symmetric matrix by its lower triangle: value[k] belongs to pattern.row[k].
struct SparseMatrix {
  LowerPattern pattern;
  std::vector<double> value;
};

/// A matrix whose pattern and values may belong to different owners. Cheap to make and to copy.
struct SparseMatrixView {
  const LowerPattern& pattern;
  std::span<const double> value;

  SparseMatrixView(const LowerPattern& p, std::span<const double> v) : pattern(p), value(v) {}
  SparseMatrixView(const SparseMatrix& a)
      : pattern(a.pattern), value(a.value) {}  // NOLINT: implicit
};

/// Throws InputError naming the first broken invariant: offsets that do not ascend, a row outside
/// its triangle or not ascending, a missing diagonal. Cost O(nnz).
void check(const LowerPattern& pattern);

/// As above; also that there is one finite value an entry.
void check(const SparseMatrixView& matrix);

}  // namespace espalier
