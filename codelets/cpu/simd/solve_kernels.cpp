// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/solve_kernels.hpp"

namespace espalier::simd {

namespace {

const SolveKernels& widest() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return avx512_solve;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_solve;
#endif
  return portable_solve;
}

}  // namespace

const SolveKernels& solve_kernels() {
  static const SolveKernels& kernels = widest();
  return kernels;
}

}  // namespace espalier::simd
