// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/dense.hpp"
#include "codelets/kernels.hpp"

/// The few routines of BLAS and LAPACK in use, on views. This pair of files alone knows Fortran
/// symbols.
namespace espalier::internal::blas {

enum class Op { none, transpose };

/// Whether the library that is linked has LAPACK's POTRF.
bool has_potrf();
/// A := L with A = L Lᵀ. A pivot fails if it is not positive.
PivotReport potrf(MatrixView a) noexcept;
/// B := B op(L)⁻¹.
void trsm(Op op, ConstMatrixView l, MatrixView b) noexcept;
/// Computes the lower triangle of C := C - A Aᵀ.
void syrk(ConstMatrixView a, MatrixView c) noexcept;
/// C := C - A op(B).
void gemm(Op op, ConstMatrixView a, ConstMatrixView b, MatrixView c) noexcept;

}  // namespace espalier::internal::blas

namespace espalier::internal {

/// While any object of this class lives, the BLAS runs each call on the thread that makes it; after
/// the last one it has the number of threads back that it had before the first. Thread-safe. This
/// holds for OpenBLAS, MKL and BLIS; other libraries have to be without threads of their own.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

/// Has OpenBLAS map the buffers that so many threads at once need, as it would in their first
/// calls, as far as it has places for them without a word; where there is no room it never returns.
/// Other libraries have no such buffers.
void take_blas_buffers(Index threads);

/// Returns the library and the core type, as the BLAS states them; the name of its file where it
/// states nothing.
std::string blas_description();

/// OpenBLAS reads it while it is loaded.
inline constexpr const char* blas_core_variable = "OPENBLAS_CORETYPE";

/// Returns the value of that variable by which the BLAS would have kernels for this processor,
/// where it has chosen those for an older one; empty where it has not.
std::string better_blas_core();

/// Says the same in a sentence, or nothing.
std::string blas_advice();

}  // namespace espalier::internal
