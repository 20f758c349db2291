// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <petscmat.h>

#include "espalier/bindings.hpp"

namespace espalier::internal {

/// Sets the options that PETSc's database has for this matrix. PETSc's name of an option of
/// named_options() is the prefix of the matrix and -mat_espalier_NAME, with "_" instead of "-" in
/// the name. With -help PETSc lists the options. A factorization that chooses its pivots gets
/// matching by default. Raises PETSC_ERR_USER_INPUT if a value cannot be read, or if several ranks
/// would have to choose pivots. Collective.
PetscErrorCode read_petsc_options(Mat factor, Options& options);

}  // namespace espalier::internal
