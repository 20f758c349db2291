// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <petscmat.h>

namespace espalier::internal {

/// Name of the solver type in PETSc.
inline constexpr char solver_type[] = "espalier";

/// Makes the matrix of PETSc that stands for the Cholesky factor of `matrix`. It has the operations
/// that compute the factor and solve with it. MatGetFactor() calls this function. Collective.
PetscErrorCode create_factor(Mat matrix, MatFactorType type, Mat* factor);

}  // namespace espalier::internal
