// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reference/kernels.hpp"

namespace espalier::reference {

const Kernels kernels{potrf, trsm, update, forward, backward, multiply, multiply_transposed};

}  // namespace espalier::reference
