// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal::simd {

#ifdef __x86_64__
// Instruction sets of this processor.
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
inline bool has_avx512() { return __builtin_cpu_supports("avx512f"); }
#endif

/// Returns the table of kernels for the widest instruction set of this processor.
template <const auto& portable, const auto& avx2, const auto& avx512>
const auto& widest() {
#ifdef __x86_64__
  if (has_avx512()) return avx512;
  if (has_avx2()) return avx2;
#endif
  return portable;
}

}  // namespace espalier::internal::simd
