// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/avx2.hpp"

#include "codelets/cpu/simd/update.hpp"

namespace espalier::simd {

const SmallKernels avx2_kernels{potrf<Avx2>, trsm<Avx2>, update<Avx2>, "AVX2"};

}  // namespace espalier::simd
