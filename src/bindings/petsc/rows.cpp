// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/petsc/rows.hpp"

#include <petsc/private/matimpl.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "bindings/common/stored_triangle.hpp"

namespace espalier::internal {

namespace {

static_assert(std::is_same_v<PetscScalar, double>,
              "the scalars of this PETSc are not real numbers in double precision");

void append_upper(PetscInt row, PetscInt count, const PetscInt* column, const PetscScalar* value,
                  UpperRows& rows) {
  for (PetscInt k = 0; k < count; ++k) {
    if (column[k] < row) continue;
    rows.column.push_back(static_cast<Index>(column[k]));
    rows.value.push_back(value[k]);
  }
  rows.row_begin.push_back(static_cast<Count>(rows.column.size()));
}

PetscErrorCode append_rows(Mat matrix, PetscInt begin, PetscInt end, UpperRows& rows) {
  PetscFunctionBegin;
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt count = 0;
    const PetscInt* column = nullptr;
    const PetscScalar* value = nullptr;
    PetscCall(MatGetRow(matrix, row, &count, &column, &value));
    append_upper(row, count, column, value, rows);
    PetscCall(MatRestoreRow(matrix, row, &count, &column, &value));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode expect_few_rows(Mat matrix) {
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(MatGetSize(matrix, &n, nullptr));
  PetscCheck(n < std::numeric_limits<Index>::max(), PetscObjectComm((PetscObject)matrix),
             PETSC_ERR_ARG_OUTOFRANGE, "Espalier factors matrices with at most 2^31 - 2 rows");
  PetscFunctionReturn(0);
}

Count entries_above_diagonal(const UpperRows& rows) {
  Count count = 0;
  for (Index i = 0; i + 1 < std::ssize(rows.row_begin); ++i) {
    const auto begin = rows.column.begin() + rows.row_begin[i];
    const auto end = rows.column.begin() + rows.row_begin[i + 1];
    count += std::count_if(begin, end, [&](Index column) { return column != rows.first + i; });
  }
  return count;
}

/// Raises an error if the matrix has more entries below the diagonal than above it, because the
/// entries below are not read. Collective. Cost: one pass over the pattern.
PetscErrorCode expect_upper_triangle(Mat matrix, const UpperRows& rows) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)matrix);
  Count above = entries_above_diagonal(rows);
  MatInfo info;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &above, 1, MPI_INT64_T, MPI_SUM, comm));
  PetscCall(MatGetInfo(matrix, MAT_GLOBAL_SUM, &info));
  const Count below = static_cast<Count>(info.nz_used) - rows.n - above;
  PetscCheck(below <= above, comm, PETSC_ERR_ARG_WRONG,
             "Espalier reads the upper triangle, but the matrix has %lld entries above the "
             "diagonal and %lld below it; store the upper triangle or both",
             static_cast<long long>(above), static_cast<long long>(below));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode view_whole_rows(Mat matrix, WholeRows& rows) {
  const PetscInt* begin = nullptr;
  const PetscInt* column = nullptr;
  PetscScalar* value = nullptr;
  PetscBool sequential = PETSC_FALSE;
  PetscFunctionBegin;
  rows = {};
  PetscCall(PetscObjectTypeCompare((PetscObject)matrix, MATSEQAIJ, &sequential));
  if (sequential) {
    const auto n = static_cast<std::size_t>(matrix->rmap->n);
    PetscCall(MatSeqAIJGetCSRAndMemType(matrix, &begin, &column, &value, nullptr));
    rows.row_begin = {begin, n + 1};
    rows.column = {column, static_cast<std::size_t>(begin[n])};
    rows.value = {value, rows.column.size()};
  }
  PetscFunctionReturn(0);
}

PetscErrorCode read_upper_pattern(Mat matrix, UpperRows& rows) {
  WholeRows whole;
  PetscFunctionBegin;
  PetscCall(expect_few_rows(matrix));
  PetscCall(view_whole_rows(matrix, whole));
  rows = {};
  const bool found = StoredTriangle(whole.row_begin, whole.column, false)
                         .copy_pattern(rows.row_begin, rows.column);
  if (found) {
    rows.n = static_cast<Index>(rows.row_begin.size()) - 1;
  } else {
    PetscCall(read_upper_rows(matrix, rows));
  }
  PetscCall(expect_upper_triangle(matrix, rows));
  PetscFunctionReturn(0);
}

PetscErrorCode read_upper_rows(Mat matrix, UpperRows& rows) {
  PetscInt n = 0;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscBool upper_alone = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(expect_few_rows(matrix));
  PetscCall(MatGetSize(matrix, &n, nullptr));
  PetscCall(MatGetOwnershipRange(matrix, &begin, &end));
  PetscCall(
      PetscObjectTypeCompareAny((PetscObject)matrix, &upper_alone, MATSEQSBAIJ, MATMPISBAIJ, ""));
  rows = {static_cast<Index>(n), static_cast<Index>(begin)};
  rows.row_begin.reserve(static_cast<std::size_t>(end - begin) + 1);
  if (upper_alone) PetscCall(MatGetRowUpperTriangular(matrix));
  PetscCall(append_rows(matrix, begin, end, rows));
  if (upper_alone) PetscCall(MatRestoreRowUpperTriangular(matrix));
  PetscFunctionReturn(0);
}

}  // namespace espalier::internal
