// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu/simd/portable.hpp"

#include "codelets/cpu/simd/pivoted.hpp"
#include "codelets/cpu/simd/solve.hpp"
#include "codelets/cpu/simd/solve_many.hpp"
#include "codelets/cpu/simd/update.hpp"

namespace espalier::internal::simd {

const SmallKernels portable_kernels{potrf<Portable>,         signed_potrf<Portable>,
                                    pivoted_potrf<Portable>, trsm<Portable>,
                                    update<Portable>,        "portable"};

const SolveKernels portable_solve{forward<Portable>, backward<Portable>, multiply<Portable>,
                                  multiply_transposed<Portable>, backward_many<Portable>};

}  // namespace espalier::internal::simd
