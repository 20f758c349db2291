// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <petscmat.h>

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// The rows of the upper triangle of a symmetric matrix that this process owns. They are also
/// columns of the lower triangle. Rows and columns have the numbers of the whole matrix.
struct UpperRows {
  Index n = 0;      ///< number of rows of the whole matrix
  Index first = 0;  ///< first row of this process
  std::vector<Count> row_begin{0};
  std::vector<Index> column{};
  std::vector<double> value{};
};

/// All rows of a seqaij, in PETSc's arrays. The columns of each row ascend. Empty for other types.
struct WholeRows {
  std::span<const PetscInt> row_begin{};
  std::span<const PetscInt> column{};
  std::span<const PetscScalar> value{};
};

/// Sets `rows` to the arrays of a seqaij, which are valid as long as the matrix is not changed.
PetscErrorCode view_whole_rows(Mat matrix, WholeRows& rows);

/// Sets `rows` to the same pattern as read_upper_rows() does; the values may be missing. For a
/// seqaij this takes only one fast pass. Raises PETSC_ERR_ARG_WRONG if the matrix has more entries
/// below the diagonal than above it. Collective.
PetscErrorCode read_upper_pattern(Mat matrix, UpperRows& rows);

/// Sets `rows` to the rows of the upper triangle that this process owns, with their values. The
/// function works for all types of matrices, and divides the blocks of sbaij into entries. Entries
/// below the diagonal are ignored. Cost: one pass over the entries.
PetscErrorCode read_upper_rows(Mat matrix, UpperRows& rows);

}  // namespace espalier::internal
