// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "espalier/factor_parts.hpp"

namespace espalier::internal {

/// Copies L from its panels, whose values are in one array. Cost O(entries of L).
LowerFactor lower_factor(const PanelStructure& structure, std::span<const double> values,
                         ExplicitZeros zeros);

/// Returns the diagonal of L in the order of L.
std::vector<double> diagonal_of(const PanelStructure& structure, std::span<const double> values);

/// Returns the square of the product of these positive numbers.
Determinant square_of_product(std::span<const double> numbers);

}  // namespace espalier::internal
