// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/compression.hpp"
#include "ordering/ordering.hpp"

namespace espalier::internal {

/// Returns the elimination order of merged vertices in which a vertex that comes before the
/// predecessor of one of its members moves directly behind the last such predecessor. All other
/// vertices keep their order. Predecessors inside the same merged vertex do not count, and vertices
/// that wait for each other come last, in their old order. Cost O(n).
Permutation after_predecessors(const CompressedGraph& graph, Permutation permutation);

/// Replaces the order by after_predecessors(). If this moves a vertex, the result has one part.
void move_after_predecessors(const CompressedGraph& graph, Ordering& ordering);

}  // namespace espalier::internal
