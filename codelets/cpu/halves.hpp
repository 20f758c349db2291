// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::cpu {

/// Triangles up to this order are not halved: own kernels do them at two thirds of the peak, BLAS
/// at a quarter.
inline constexpr Index whole_triangle = 256;

/// The first part of an order that is halved, a multiple of 8.
inline Index first_half(Index order) { return (order / 2 + 7) / 8 * 8; }

}  // namespace espalier::cpu
