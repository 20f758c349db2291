// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/kernels.hpp"

namespace espalier::internal::simd {

/// The kernels for one instruction set, with masks at the edges. They follow the contracts of
/// Kernels. potrf, signed_potrf and trsm serve triangles that are not halved, and
/// pivoted_potrf and update serve all sizes. An update with signs and an empty buffer works by
/// smaller blocks.
struct SmallKernels {
  PivotReport (*potrf)(MatrixView a) noexcept;
  PivotReport (*signed_potrf)(MatrixView a, const SignedPivots& pivots) noexcept;
  PivotReport (*pivoted_potrf)(MatrixView a, const ChosenPivots& pivots,
                               std::span<double> buffer) noexcept;
  void (*trsm)(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept;
  void (*update)(const UpdateArguments& given) noexcept;
  const char* instruction_set;
};

/// Maximum order of a triangle for potrf, signed_potrf and trsm above.
inline constexpr Index largest_triangle = 1024;

extern const SmallKernels portable_kernels;
extern const SmallKernels avx2_kernels;    ///< on x86-64 only
extern const SmallKernels avx512_kernels;  ///< on x86-64 only

/// Returns the kernels for the widest instruction set of this processor.
const SmallKernels& small_kernels();

/// The solve kernels for one right-hand side. They read every entry of L once, in the order of
/// memory, by strips of a few columns. They follow the contracts of Kernels, with vectors instead
/// of X and Y. backward_many takes any number of right-hand sides and is faster for narrow panels.
struct SolveKernels {
  void (*forward)(ConstMatrixView l, double* x, Signs sign) noexcept;
  void (*backward)(ConstMatrixView l, double* x, Signs sign) noexcept;
  void (*multiply)(ConstMatrixView a, const double* x, double* y) noexcept;
  void (*multiply_transposed)(ConstMatrixView a, const double* y, double* x) noexcept;
  void (*backward_many)(ConstMatrixView l, MatrixView x, Signs sign) noexcept;
};

extern const SolveKernels portable_solve;
extern const SolveKernels avx2_solve;    ///< on x86-64 only
extern const SolveKernels avx512_solve;  ///< on x86-64 only

/// Returns the kernels for the widest instruction set of this processor.
const SolveKernels& solve_kernels();

}  // namespace espalier::internal::simd
