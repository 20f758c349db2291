// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/small_kernels.hpp"

#include <gtest/gtest.h>

#include <string>

namespace espalier {
namespace {

TEST(SmallKernels, AreTheWidestThatThisProcessorHas) {
  const simd::SmallKernels* widest = &simd::portable_kernels;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) widest = &simd::avx2_kernels;
  if (__builtin_cpu_supports("avx512f")) widest = &simd::avx512_kernels;
#endif
  EXPECT_EQ(&simd::small_kernels(), widest);
  EXPECT_NE(std::string(widest->instruction_set), "");
}

}  // namespace
}  // namespace espalier
