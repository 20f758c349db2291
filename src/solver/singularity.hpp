// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/factor_data.hpp"

namespace espalier::internal {

/// Returns whether A is singular to rounding: whether no x is found for which S A S x is close to a
/// random c, where S is the scaling of a factorization that chose its pivots. c has a component of
/// about 1/2 in the direction of every null vector, and no x can change it. The factor is that of a
/// matrix that differs from S A S by its replaced pivots, so that GMRES with the factor takes about
/// one step for each. Cost: at most 41 solves and as many vectors. All tasks must have ended.
bool is_singular(const FactorData& data);

}  // namespace espalier::internal
