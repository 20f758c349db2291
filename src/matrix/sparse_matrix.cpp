// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/sparse_matrix.hpp"

#include <cmath>
#include <string>

#include "espalier/error.hpp"

namespace espalier {

namespace {

void check_offsets(const LowerPattern& pattern) {
  if (pattern.n < 0 || pattern.column_begin.size() != static_cast<std::size_t>(pattern.n) + 1) {
    throw InputError("the matrix of order " + std::to_string(pattern.n) + " has " +
                     std::to_string(pattern.column_begin.size()) +
                     " column offsets where its order and one more are needed");
  }
  if (pattern.column_begin.front() != 0) {
    throw InputError("the column offsets begin with " +
                     std::to_string(pattern.column_begin.front()) + " where 0 is needed");
  }
  for (Index j = 0; j < pattern.n; ++j) {
    if (pattern.column_begin[j + 1] < pattern.column_begin[j]) {
      throw InputError("the column offsets descend after column " + std::to_string(j));
    }
  }
  if (pattern.entries() != static_cast<Count>(pattern.row.size())) {
    throw InputError("the column offsets end with " + std::to_string(pattern.entries()) +
                     " where there are " + std::to_string(pattern.row.size()) + " row indices");
  }
}

void check_column(const LowerPattern& pattern, Index j) {
  const auto rows = pattern.column(j);
  if (rows.empty() || rows.front() != j) {
    const bool above = !rows.empty() && rows.front() < j;
    throw InputError(
        "column " + std::to_string(j) +
        (above ? " has an entry above the diagonal in row " + std::to_string(rows.front())
               : " does not begin with its diagonal entry"));
  }
  for (std::size_t k = 1; k < rows.size(); ++k) {
    if (rows[k] <= rows[k - 1]) {
      throw InputError("the rows of column " + std::to_string(j) + " do not ascend at row " +
                       std::to_string(rows[k]));
    }
  }
  if (rows.back() >= pattern.n) {
    throw InputError("column " + std::to_string(j) + " has an entry in row " +
                     std::to_string(rows.back()) + " of a matrix of order " +
                     std::to_string(pattern.n));
  }
}

}  // namespace

void check(const LowerPattern& pattern) {
  check_offsets(pattern);
  for (Index j = 0; j < pattern.n; ++j) check_column(pattern, j);
}

void check(const SparseMatrixView& matrix) {
  check(matrix.pattern);
  if (matrix.value.size() != matrix.pattern.row.size()) {
    throw InputError("the matrix has " + std::to_string(matrix.value.size()) + " values for " +
                     std::to_string(matrix.pattern.row.size()) + " entries");
  }
  for (Index j = 0; j < matrix.pattern.n; ++j) {
    for (Count k = matrix.pattern.column_begin[j]; k < matrix.pattern.column_begin[j + 1]; ++k) {
      if (!std::isfinite(matrix.value[k])) {
        throw InputError("the value in row " + std::to_string(matrix.pattern.row[k]) + ", column " +
                         std::to_string(j) + " is not finite");
      }
    }
  }
}

}  // namespace espalier
