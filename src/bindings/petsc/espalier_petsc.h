/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ESPALIER_PETSC_H
#define ESPALIER_PETSC_H

#include <petscsys.h>

/// \file
/// Registration of Espalier in PETSc, for programs that are linked with libespalier_petsc.so. Other
/// programs name the library in PETSc's option -dll_append.

/// Marks the functions that the library exports. All other symbols are hidden.
#define ESPALIER_PETSC_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the solver type "espalier" for the Cholesky factorization of seqaij, seqsbaij, mpiaij
/// and mpisbaij matrices. Call it after PetscInitialize(). If PETSc loads the library, it calls the
/// function itself.
ESPALIER_PETSC_API PetscErrorCode PetscDLLibraryRegister_espalier_petsc(void);

#ifdef __cplusplus
}
#endif

#endif
