// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/small_kernels.hpp"

namespace espalier::simd {

namespace {

const SmallKernels& widest() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return avx512_kernels;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_kernels;
#endif
  return portable_kernels;
}

}  // namespace

const SmallKernels& small_kernels() {
  static const SmallKernels& kernels = widest();
  return kernels;
}

}  // namespace espalier::simd
