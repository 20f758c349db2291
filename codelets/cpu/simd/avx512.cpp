// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/avx512.hpp"

#include "codelets/cpu/simd/update.hpp"

namespace espalier::simd {

const SmallKernels avx512_kernels{potrf<Avx512>, trsm<Avx512>, update<Avx512>, "AVX-512"};

}  // namespace espalier::simd
