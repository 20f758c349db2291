// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "runtime/communicator.hpp"
#include "solver/graph_part.hpp"

namespace espalier {

/// Nested dissection by all ranks together, with minimum fill in small parts (Chevalier,
/// Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering", Parallel Computing 34,
/// 2008). Returns on the root the places of the vertices of the division in the order of
/// elimination; the same on every call with the same parts. Throws UsageError for a graph with more
/// neighbours than Scotch, as installed, can count. Collective.
std::vector<Index> ptscotch_places(const Communicator& comm, const GraphPart& part);

}  // namespace espalier
