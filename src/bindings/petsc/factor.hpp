// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <petscmat.h>

namespace espalier::internal {

/// The name of the solver type.
inline constexpr char solver_type[] = "espalier";

/// Makes the matrix of PETSc that stands for the Cholesky factor of another one, with the
/// operations that compute it and solve with it: what MatGetFactor() calls. It is collective.
PetscErrorCode create_factor(Mat matrix, MatFactorType type, Mat* factor);

}  // namespace espalier::internal
