// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <petscmat.h>

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// What this process has of the upper triangle of a symmetric matrix, by rows, which are the
/// columns of the lower triangle. Rows and columns have the numbers of the whole.
struct UpperRows {
  Index n = 0;      ///< of the whole
  Index first = 0;  ///< the first row that is here
  std::vector<Count> row_begin{0};
  std::vector<Index> column{};
  std::vector<double> value{};
};

/// All of a seqaij, by rows in which columns ascend, in PETSc's arrays; empty for other types.
struct WholeRows {
  std::span<const PetscInt> row_begin{};
  std::span<const PetscInt> column{};
  std::span<const PetscScalar> value{};
};

/// Sets `rows` to the arrays of a seqaij, which live as long as the matrix stays as it is.
PetscErrorCode view_whole_rows(Mat matrix, WholeRows& rows);

/// Sets `rows` to the pattern of read_upper_rows(), of a seqaij in one fast pass; their values may
/// be missing. All processes call it. Raises PETSC_ERR_ARG_WRONG if the matrix has
/// entries below the diagonal and none above it.
PetscErrorCode read_upper_pattern(Mat matrix, UpperRows& rows);

/// Sets `rows` to those that this process owns, whatever the type of the matrix, with or without
/// values; entries below the diagonal are not looked at. Blocks of sbaij are taken apart. Cost: one
/// pass over the entries.
PetscErrorCode read_upper_rows(Mat matrix, UpperRows& rows);

}  // namespace espalier::internal
