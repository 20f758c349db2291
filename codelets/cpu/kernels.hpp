// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

namespace espalier::internal::cpu {

Index potrf(MatrixView a) noexcept;
void trsm(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept;
void update(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
            std::span<double> buffer) noexcept;
void forward(ConstMatrixView l, MatrixView x) noexcept;
void backward(ConstMatrixView l, MatrixView x) noexcept;
void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept;
void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept;

/// Triangles up to this order are not halved: own kernels do them at two thirds of the peak, BLAS
/// at a quarter.
inline constexpr Index whole_triangle = 256;

/// Returns the first part of an order that is halved, a multiple of 8.
inline Index first_half(Index order) { return (order / 2 + 7) / 8 * 8; }

}  // namespace espalier::internal::cpu
