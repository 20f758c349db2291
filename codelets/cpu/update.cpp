// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/small_kernels.hpp"

namespace espalier::cpu {

void update(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
            std::span<double> buffer) noexcept {
  simd::small_kernels().update(a, b, lower, target, buffer);
}

}  // namespace espalier::cpu
