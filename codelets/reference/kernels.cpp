// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reference/kernels.hpp"

namespace espalier::reference {

const Kernels kernels{
    potrf, trsm, update, solve_lower, solve_lower_transposed, multiply, multiply_transposed};

}  // namespace espalier::reference
