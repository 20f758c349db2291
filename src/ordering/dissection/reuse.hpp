// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "espalier/separator_tree.hpp"
#include "ordering/compression.hpp"
#include "ordering/methods.hpp"

namespace espalier::internal {

/// Order of the columns of a previous matrix, and the columns that have changed since.
struct PreviousOrder {
  const SeparatorTree& tree;
  /// Previous number of each column, or -1 for new columns. If empty, the numbers are equal.
  std::span<const Index> previous_of;
  std::vector<char> changed;  ///< result of changed_columns()
};

/// Returns an order of a graph that keeps the separators of a previous order that still separate
/// it, and orders anew the leaves and subtrees in which something has changed. Zarebavani, Kaufman,
/// Levin, Mehri Dehnavi, "Adaptive algebraic reuse of reordering in Cholesky factorizations with
/// dynamic sparsity patterns", arXiv 2501.04011, 2025.
///
/// If an edge joins two sides of a separator, one of its ends moves into the separator. If a
/// separator grows by more than three tenths, its subtree is dissected anew. A vertex leaves a
/// separator if its neighbours no longer need it there. New vertices go to the parts of their
/// neighbours. Leaves with a changed vertex are ordered anew, and split if they are large. All
/// other parts keep their order.
///
/// Returns nothing if this is expected to take more than half of the time of a new dissection. The
/// result does not depend on the number of threads. Cost O(n + edges) and the new parts.
std::optional<DissectedOrder> reused_order(const CompressedGraph& graph,
                                           const PreviousOrder& previous, Index threads);

}  // namespace espalier::internal
