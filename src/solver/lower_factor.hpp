// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "codelets/pivot_signs.hpp"
#include "espalier/factor_parts.hpp"
#include "solver/pivots.hpp"

namespace espalier::internal {

/// Copies L from its panels, whose values are in one array. With signs, the rows below a triangle
/// are multiplied by them (see Kernels). Cost O(entries of L).
LowerFactor lower_factor(const PanelStructure& structure, std::span<const double> values,
                         const PivotSigns& signs, ExplicitZeros zeros);

/// Returns the diagonal of L in the order of L.
std::vector<double> diagonal_of(const PanelStructure& structure, std::span<const double> values);

/// Returns the determinant of A by the diagonal of L, which is positive, and by the signs of these
/// columns. L J Lᵀ is the factorization of S A S with this diagonal S, or of A if `scale` is empty.
/// If these are the columns of one of several ranks, returns their part of the determinant.
Determinant determinant_of(std::span<const double> diagonal, const SignCounts& counts,
                           std::span<const double> scale);
/// Returns the product of these numbers.
Determinant product_of(std::span<const Determinant> factors);

}  // namespace espalier::internal
