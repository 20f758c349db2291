// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/kernels.hpp"

namespace espalier::simd {

/// The solve kernels for one right-hand side: every entry of L is read once, in order of memory, by
/// strips of a few columns. Contracts as in Kernels, with vectors instead of X and Y. backward_many
/// takes any number of right-hand sides, and pays for narrow panels.
struct SolveKernels {
  void (*forward)(ConstMatrixView l, double* x) noexcept;
  void (*backward)(ConstMatrixView l, double* x) noexcept;
  void (*multiply)(ConstMatrixView a, const double* x, double* y) noexcept;
  void (*multiply_transposed)(ConstMatrixView a, const double* y, double* x) noexcept;
  void (*backward_many)(ConstMatrixView l, MatrixView x) noexcept;
};

extern const SolveKernels portable_solve;
extern const SolveKernels avx2_solve;    ///< on x86-64 only
extern const SolveKernels avx512_solve;  ///< on x86-64 only

/// The widest that this processor has.
const SolveKernels& solve_kernels();

}  // namespace espalier::simd
