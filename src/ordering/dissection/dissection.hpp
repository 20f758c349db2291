// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "ordering/compression.hpp"
#include "ordering/separator_tree.hpp"

namespace espalier::internal {

/// Vertices of a graph that get consecutive positions.
struct PartToOrder {
  std::vector<Index> vertex;
  Index first = 0;  ///< position of the first vertex
};

/// Orders disjoint parts of a graph by nested dissection, and writes them to their positions in
/// `order`. All neighbours of a part that are outside of it must come after it. Returns the ranges
/// of the new parts. The result does not depend on the number of threads, except for the order of
/// the ranges.
std::vector<DissectedRange> dissect_parts(const CompressedGraph& compressed,
                                          const std::vector<PartToOrder>& parts, Index threads,
                                          std::vector<Index>& order);

}  // namespace espalier::internal
