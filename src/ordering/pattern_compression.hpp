// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "ordering/compression.hpp"

namespace espalier {

/// Where the groups of consecutive indistinguishable columns begin, and n: as long as possible, so
/// that unknowns numbered node by node make one group a node. One pass over the pattern.
std::vector<Index> consecutive_groups(const LowerPattern& pattern);

/// The compressed adjacency graph of a lower triangle. Consecutive indistinguishable columns are
/// merged before both directions of edges are stored, which saves most of time and memory where
/// there are several unknowns a node. Cost O(n + nnz).
CompressedGraph compress(const LowerPattern& pattern);

}  // namespace espalier
