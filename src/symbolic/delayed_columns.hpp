// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// Columns of L in another order, and the panels of L that have them then.
struct DelayedOrder {
  std::vector<Index> column;  ///< numbered as in L
  std::vector<Index> panel;   ///< per place of the order, ascending
};

/// Returns an elimination order in which columns of L with a mark come later: as the last columns
/// of the panel that is `levels` steps above theirs in the tree of panels, or of the root if there
/// are fewer steps. A diagonal block of that panel then has more pivots to choose from, as if the
/// pivots had been delayed by a multifrontal method (Duff and Reid, "The multifrontal solution of
/// indefinite sparse symmetric linear equations", 1983). Columns of a root keep their place. Needs
/// only the sizes of the structure. Cost O(n + marks levels).
DelayedOrder order_with_delays(const SymbolicFactor& symbolic, std::span<const std::uint8_t> marks,
                               Index levels);

/// Returns the structure of L for this order of its columns. Panels keep all columns that have not
/// moved, so that they choose the same pivots from them. Panels without columns vanish, and others
/// may be wider than the options allow. The result has no pairs: columns of a pair may move apart,
/// and have their own rows. `pattern` has the lower triangle of A. If `sizes_only` is true, returns
/// only the sizes of the structure. Cost O(edges log n + rows of all panels).
SymbolicFactor reordered(const PatternView& pattern, const SymbolicFactor& symbolic,
                         const DelayedOrder& order, Index workers, bool sizes_only);

}  // namespace espalier::internal
