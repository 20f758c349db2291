// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/kernels.hpp"

namespace espalier::internal::simd {

/// The kernels for one instruction set, edges by masks: potrf and trsm for triangles that are not
/// halved, update for all sizes. Contracts as in Kernels.
struct SmallKernels {
  PivotReport (*potrf)(MatrixView a) noexcept;
  void (*trsm)(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept;
  void (*update)(const UpdateArguments& given) noexcept;
  const char* instruction_set;
};

/// Largest order of a triangle that potrf and trsm above take.
inline constexpr Index largest_triangle = 512;

extern const SmallKernels portable_kernels;
extern const SmallKernels avx2_kernels;    ///< on x86-64 only
extern const SmallKernels avx512_kernels;  ///< on x86-64 only

/// Returns the widest that this processor has.
const SmallKernels& small_kernels();

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

/// Returns the widest that this processor has.
const SolveKernels& solve_kernels();

}  // namespace espalier::internal::simd
