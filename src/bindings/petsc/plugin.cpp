// SPDX-License-Identifier: BSD-3-Clause
#include <petscmat.h>

#include "bindings/petsc/espalier_petsc.h"
#include "bindings/petsc/factor.hpp"

namespace {

/// Makes PETSc start MPI with MPI_THREAD_MULTIPLE, which several ranks need. This has an effect
/// only if the library is loaded before PetscInitialize(), that is, linked or preloaded.
[[maybe_unused]] const int asked_for = PETSC_MPI_THREAD_REQUIRED = MPI_THREAD_MULTIPLE;

}  // namespace

PetscErrorCode PetscDLLibraryRegister_espalier_petsc(void) {
  using namespace espalier::internal;
  PetscFunctionBegin;
  // First, because PETSc otherwise takes the list for complete and omits its other solvers.
  PetscCall(MatInitializePackage());
  for (const MatType type : {MATSEQAIJ, MATSEQSBAIJ, MATMPIAIJ, MATMPISBAIJ}) {
    PetscCall(MatSolverTypeRegister(solver_type, type, MAT_FACTOR_CHOLESKY, create_factor));
  }
  PetscFunctionReturn(0);
}
