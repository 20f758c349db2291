/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ESPALIER_PETSC_H
#define ESPALIER_PETSC_H

#include <petscsys.h>

/// \file
/// What a program that is linked with libespalier_petsc.so calls instead of naming the library in
/// PETSc's option -dll_append.

/// Marks what the library shows; all else in it is hidden.
#define ESPALIER_PETSC_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the solver type "espalier" for the Cholesky factorization of seqaij, seqsbaij, mpiaij
/// and mpisbaij matrices. To be called after PetscInitialize(); PETSc calls it itself where it
/// loads the library.
ESPALIER_PETSC_API PetscErrorCode PetscDLLibraryRegister_espalier_petsc(void);

#ifdef __cplusplus
}
#endif

#endif
