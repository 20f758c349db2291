// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/solve_kernels.hpp"

#include "codelets/cpu/simd/instruction_sets.hpp"

namespace espalier::simd {

const SolveKernels& solve_kernels() {
  static const SolveKernels& kernels = widest<portable_solve, avx2_solve, avx512_solve>();
  return kernels;
}

}  // namespace espalier::simd
