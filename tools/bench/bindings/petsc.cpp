// SPDX-License-Identifier: BSD-3-Clause
// The solver types of PETSc: "espalier", and "petsc", "mumps" and "cholmod" if PETSc was
// built with them.
#include <espalier_petsc.h>
#include <petscmat.h>

#include <string>
#include <vector>

#include "binding.h"

namespace espalier::internal::bench {
namespace {

std::string solver;
Mat matrix = nullptr;
Mat factor = nullptr;
Vec right = nullptr;
Vec solution = nullptr;

void expect_done(PetscErrorCode code) {
  if (code != 0) bench_fail("a function of PETSc failed");
}

/// The whole matrix in PETSc's format. Rows of its upper triangle are columns of the lower one.
void assemble(const bench_matrix& given) {
  std::vector<PetscInt> begin(given.colptr, given.colptr + given.n + 1);
  std::vector<PetscInt> column(given.row, given.row + begin.back());
  std::vector<PetscScalar> value(given.value, given.value + begin.back());
  Mat upper = nullptr;
  expect_done(MatCreateSeqSBAIJWithArrays(PETSC_COMM_SELF, 1, given.n, given.n, begin.data(),
                                          column.data(), value.data(), &upper));
  expect_done(MatConvert(upper, MATSEQAIJ, MAT_INITIAL_MATRIX, &matrix));
  expect_done(MatDestroy(&upper));
  expect_done(MatSetOption(matrix, MAT_SPD, PETSC_TRUE));
}

}  // namespace
}  // namespace espalier::internal::bench

using namespace espalier::internal::bench;  // NOLINT: the functions below are the global
                                            // namespace's

void bench_open(const char* name, int workers, const bench_matrix* given) {
  solver = name;
  expect_done(PetscInitializeNoArguments());
  expect_done(PetscDLLibraryRegister_espalier_petsc());
  const std::string count = std::to_string(workers);
  expect_done(PetscOptionsSetValue(nullptr, "-mat_espalier_workers", count.c_str()));
  assemble(*given);
  expect_done(MatCreateVecs(matrix, &solution, &right));
}

void bench_analyze() {
  MatFactorInfo info;
  MatOrderingType ordering = nullptr;
  IS rows = nullptr;
  IS columns = nullptr;
  expect_done(MatFactorInfoInitialize(&info));
  expect_done(MatGetFactor(matrix, solver.c_str(), MAT_FACTOR_CHOLESKY, &factor));
  expect_done(MatFactorGetPreferredOrdering(factor, MAT_FACTOR_CHOLESKY, &ordering));
  expect_done(MatGetOrdering(matrix, ordering, &rows, &columns));
  expect_done(MatCholeskyFactorSymbolic(factor, matrix, rows, &info));
  expect_done(ISDestroy(&rows));
  expect_done(ISDestroy(&columns));
}

void bench_factorize() {
  MatFactorInfo info;
  MatFactorError failure = MAT_FACTOR_NOERROR;
  expect_done(MatFactorInfoInitialize(&info));
  expect_done(MatCholeskyFactorNumeric(factor, matrix, &info));
  expect_done(MatFactorGetError(factor, &failure));
  if (failure != MAT_FACTOR_NOERROR) bench_fail("PETSc's factor has an error");
}

void bench_solve(const double* b, double* x) {
  expect_done(VecPlaceArray(right, b));
  expect_done(VecPlaceArray(solution, x));
  expect_done(MatSolve(factor, right, solution));
  expect_done(VecResetArray(right));
  expect_done(VecResetArray(solution));
}

void bench_close() {
  expect_done(VecDestroy(&right));
  expect_done(VecDestroy(&solution));
  expect_done(MatDestroy(&factor));
  expect_done(MatDestroy(&matrix));
  expect_done(PetscFinalize());
}
