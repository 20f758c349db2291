// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/simd/avx512.hpp"
#include "codelets/cpu/simd/solve.hpp"
#include "codelets/cpu/simd/solve_many.hpp"

namespace espalier::simd {

const SolveKernels avx512_solve{forward<Avx512>, backward<Avx512>, multiply<Avx512>,
                                multiply_transposed<Avx512>, backward_many<Avx512>};

}  // namespace espalier::simd
