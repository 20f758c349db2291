// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu/simd/avx512.hpp"

#include "codelets/cpu/simd/pivoted.hpp"
#include "codelets/cpu/simd/solve.hpp"
#include "codelets/cpu/simd/solve_many.hpp"
#include "codelets/cpu/simd/update.hpp"

namespace espalier::internal::simd {

const SmallKernels avx512_kernels{potrf<Avx512>, signed_potrf<Avx512>, pivoted_potrf<Avx512>,
                                  trsm<Avx512>,  update<Avx512>,       "AVX-512"};

const SolveKernels avx512_solve{forward<Avx512>, backward<Avx512>, multiply<Avx512>,
                                multiply_transposed<Avx512>, backward_many<Avx512>};

}  // namespace espalier::internal::simd
