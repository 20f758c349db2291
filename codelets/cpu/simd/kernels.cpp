// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu/simd/kernels.hpp"

#include "codelets/cpu/simd/instruction_sets.hpp"

namespace espalier::internal::simd {

const SmallKernels& small_kernels() {
  static const SmallKernels& kernels = widest<portable_kernels, avx2_kernels, avx512_kernels>();
  return kernels;
}

const SolveKernels& solve_kernels() {
  static const SolveKernels& kernels = widest<portable_solve, avx2_solve, avx512_solve>();
  return kernels;
}

}  // namespace espalier::internal::simd
