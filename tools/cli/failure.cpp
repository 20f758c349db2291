// SPDX-License-Identifier: BSD-3-Clause

#include "cli/failure.hpp"

namespace espalier::internal {

NotPositiveDefinite::NotPositiveDefinite(const std::string& matrix, Index column_from_0)
    : Error(ErrorCode::not_positive_definite,
            "the matrix " + matrix + " is not positive definite: the pivot of column " +
                std::to_string(column_from_0 + 1) +
                " (counted from 1, as in the file) is not positive, or is below the rounding "
                "error; check the matrix, or use espalier solve --factorization ldlt if it is "
                "indefinite"),
      column(column_from_0 + 1) {}

WrongPivotSign::WrongPivotSign(const std::string& matrix, Index column_from_0)
    : Error(ErrorCode::not_positive_definite,
            "the matrix " + matrix + " does not have the given signs: the pivot of column " +
                std::to_string(column_from_0 + 1) +
                " (counted from 1, as in the file) is zero, not finite, or has the other sign; "
                "check the signs, or replace such pivots by --regularization"),
      column(column_from_0 + 1) {}

Matrix load_to_measure(const std::string& file_or_spec) {
  Matrix matrix = Matrix::load(file_or_spec);
  if (matrix.size() > 0) return matrix;
  throw InputError(file_or_spec + ": the matrix has no rows, so there is nothing to measure");
}

}  // namespace espalier::internal
