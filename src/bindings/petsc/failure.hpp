// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <petscsys.h>

#include <exception>
#include <new>

#include "espalier/error.hpp"

namespace espalier::internal {

/// Returns PETSc's code for an error of the library.
inline PetscErrorCode petsc_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::scheduler: return PETSC_ERR_USER_INPUT;
    case ErrorCode::input: return PETSC_ERR_ARG_WRONG;
    case ErrorCode::memory: return PETSC_ERR_MEM;
    default: return PETSC_ERR_LIB;
  }
}

/// Calls `work` and returns 0. If `work` throws an exception, raises an error of PETSc instead.
template <class Work>
PetscErrorCode guarded(MPI_Comm comm, Work work) noexcept {
  try {
    work();
  } catch (const Error& error) {
    SETERRQ(comm, petsc_code(error.code()), "Espalier: %s", error.what());
  } catch (const std::bad_alloc&) {
    SETERRQ(comm, PETSC_ERR_MEM, "Espalier: an allocation failed");
  } catch (const std::exception& error) {
    SETERRQ(comm, PETSC_ERR_LIB, "Espalier: %s", error.what());
  }
  return 0;
}

}  // namespace espalier::internal
