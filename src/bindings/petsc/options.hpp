// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <petscmat.h>

#include "espalier/bindings.hpp"

namespace espalier::internal {

/// Sets those of the options that PETSc's database has for this matrix: -mat_espalier_NAME, after
/// the prefix of the matrix, for each of named_options(), with "_" for "-" in the name. With -help
/// PETSc lists them. What cannot be read is PETSC_ERR_USER_INPUT. It is collective.
PetscErrorCode read_petsc_options(Mat factor, Options& options);

}  // namespace espalier::internal
