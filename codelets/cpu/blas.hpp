// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/dense.hpp"
#include "codelets/kernels.hpp"

/// The routines of BLAS and LAPACK in use, on views. Only this pair of files names Fortran symbols.
namespace espalier::internal::blas {

enum class Op { none, transpose };

/// Returns whether the linked library has LAPACK's POTRF.
bool has_potrf();
/// A := L with A = L Lᵀ. A pivot check fails if the pivot is not positive.
PivotReport potrf(MatrixView a) noexcept;
/// B := B op(L)⁻¹.
void trsm(Op op, ConstMatrixView l, MatrixView b) noexcept;
/// Computes the lower triangle of C := C - A Aᵀ.
void syrk(ConstMatrixView a, MatrixView c) noexcept;
/// C := C - A op(B).
void gemm(Op op, ConstMatrixView a, ConstMatrixView b, MatrixView c) noexcept;

}  // namespace espalier::internal::blas

namespace espalier::internal {

/// While any object of this class lives, the BLAS runs each call on the calling thread. Afterwards
/// it has the previous number of threads again. Thread-safe. This works for OpenBLAS, MKL and BLIS;
/// other libraries must not use threads.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

/// Makes OpenBLAS allocate the buffers of this many simultaneous threads now, instead of in their
/// first calls. Allocates at most as many buffers as OpenBLAS has slots, because OpenBLAS prints a
/// warning for each further one. OpenBLAS never returns if memory is short. Other libraries are not
/// called.
void take_blas_buffers(Index threads);

/// Returns the name of the library and the core type, as the BLAS reports them. If the BLAS reports
/// nothing, returns the name of the library's file.
std::string blas_description();

/// Environment variable that OpenBLAS reads when it is loaded.
inline constexpr const char* blas_core_variable = "OPENBLAS_CORETYPE";

/// If OpenBLAS has chosen the kernels of an older processor, returns the value of this variable
/// that selects the kernels of this processor. Else returns an empty text.
std::string better_blas_core();

/// Returns a sentence that advises to set the variable to better_blas_core(), or an empty text.
std::string blas_advice();

}  // namespace espalier::internal
