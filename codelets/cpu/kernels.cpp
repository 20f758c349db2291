// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/kernels.hpp"

namespace espalier::cpu {

const Kernels kernels{potrf, trsm, update, forward, backward, multiply, multiply_transposed};

}  // namespace espalier::cpu
