// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu/simd/avx2.hpp"

#include "codelets/cpu/simd/pivoted.hpp"
#include "codelets/cpu/simd/solve.hpp"
#include "codelets/cpu/simd/solve_many.hpp"
#include "codelets/cpu/simd/update.hpp"

namespace espalier::internal::simd {

const SmallKernels avx2_kernels{potrf<Avx2>, signed_potrf<Avx2>, pivoted_potrf<Avx2>,
                                trsm<Avx2>,  update<Avx2>,       "AVX2"};

const SolveKernels avx2_solve{forward<Avx2>, backward<Avx2>, multiply<Avx2>,
                              multiply_transposed<Avx2>, backward_many<Avx2>};

}  // namespace espalier::internal::simd
