// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "espalier/types.hpp"
#include "matrix/permutation.hpp"
#include "symbolic/row_structure.hpp"

namespace espalier {

/// Reorders the vertices inside every supernode so that the rows of its descendants that face it
/// become contiguous, and renumbers the row structure accordingly; the set of entries of L stays
/// the same but for this renumbering. Vertices of supernode s are [begin[s], begin[s+1]);
/// supernodes of `rows` behind these keep their order.
///
/// The vertices of a supernode start as one class. Each facing row set, the largest first, splits
/// every class that it meets in part, and its members go to the side where a neighbouring class
/// meets the set too. A supernode keeps its order where this leaves no fewer runs.
/// Cost O(rows) but for the sorting of the sets by size. The result does not depend on `workers`.
/// Jacquelin, Ng and Peyton, "Fast and effective reordering of columns within supernodes using
/// partition refinement", 2018.
Permutation refine_partition(std::span<const Index> begin, RowStructure& rows, Index workers = 1);

/// Maximal runs of consecutive rows below the diagonal blocks that face one supernode: what a
/// scatter of updates has to address one by one.
Count count_runs(const RowStructure& rows);

}  // namespace espalier
