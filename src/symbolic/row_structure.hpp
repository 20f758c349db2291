// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "ordering/adjacency.hpp"
#include "symbolic/amalgamation.hpp"

namespace espalier {

/// Rows of supernode s, ascending, its own columns first: row[begin[s] .. begin[s+1]).
struct RowStructure {
  std::vector<Count> begin{0};
  std::vector<Index> row;

  std::span<const Index> of(Index s) const {
    return {row.data() + begin[s], row.data() + begin[s + 1]};
  }
};

/// Rows of every supernode: its columns, and the union of the rows below of its children and the
/// pattern of A in its columns. `graph` is in the numbering that amalgamation started from.
/// Cost O(edges + rows log rows).
RowStructure row_structure(const AdjacencyGraph& graph, const Amalgamation& amalgamation);

}  // namespace espalier
