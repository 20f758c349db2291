// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/avx2.hpp"
#include "codelets/cpu/simd/solve.hpp"
#include "codelets/cpu/simd/solve_many.hpp"

namespace espalier::simd {

const SolveKernels avx2_solve{forward<Avx2>, backward<Avx2>, multiply<Avx2>,
                              multiply_transposed<Avx2>, backward_many<Avx2>};

}  // namespace espalier::simd
