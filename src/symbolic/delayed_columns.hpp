// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// Returns an elimination order in which columns of L with a mark come later: as the last columns
/// of the panel that is `levels` steps above theirs in the tree of panels, or of the root if there
/// are fewer steps. A diagonal block of that panel then has more pivots to choose from, as if the
/// pivots had been delayed by a multifrontal method (Duff and Reid, "The multifrontal solution of
/// indefinite sparse symmetric linear equations", 1983). Columns of a root keep their place. Needs
/// only the sizes of the structure. Cost O(n + marks levels).
std::vector<Index> order_with_delays(const SymbolicFactor& symbolic,
                                     std::span<const std::uint8_t> marks, Index levels);

}  // namespace espalier::internal
