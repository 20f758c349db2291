// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/portable.hpp"

#include "codelets/cpu/simd/update.hpp"

namespace espalier::simd {

const SmallKernels portable_kernels{potrf<Portable>, trsm<Portable>, update<Portable>, "portable"};

}  // namespace espalier::simd
