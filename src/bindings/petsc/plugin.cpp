// SPDX-License-Identifier: BSD-3-Clause
#include <petscmat.h>

#include "bindings/petsc/espalier_petsc.h"
#include "bindings/petsc/factor.hpp"

namespace {

/// PETSc starts MPI with what this variable says, and several ranks need all of it. It has an
/// effect where the library is there before PetscInitialize(), since it is linked or preloaded.
[[maybe_unused]] const int asked_for = PETSC_MPI_THREAD_REQUIRED = MPI_THREAD_MULTIPLE;

}  // namespace

PetscErrorCode PetscDLLibraryRegister_espalier_petsc(void) {
  using namespace espalier::internal;
  PetscFunctionBegin;
  // Otherwise PETSc takes the list for complete, and all of its own solvers would be missing.
  PetscCall(MatInitializePackage());
  for (const MatType type : {MATSEQAIJ, MATSEQSBAIJ, MATMPIAIJ, MATMPISBAIJ}) {
    PetscCall(MatSolverTypeRegister(solver_type, type, MAT_FACTOR_CHOLESKY, create_factor));
  }
  PetscFunctionReturn(0);
}
