// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/uninitialized.hpp"
#include "ordering/dissection/separator_refinement.hpp"
#include "ordering/dissection/weighted_graph.hpp"

namespace espalier::internal {

/// Part of a graph. Its vertices have consecutive positions in the elimination order.
struct DissectionPart {
  WeightedGraph graph;
  UninitializedVector<Index> vertex;  ///< numbers in the whole graph
  Index first = 0;                    ///< position of the first vertex
  std::uint64_t seed = 1;             ///< depends only on the path of splits to the part
};

struct SplitPart {
  std::array<DissectionPart, 2> sides;
  std::vector<Index> separator;
  Index separator_first = 0;  ///< position of the separator, after both sides
};

/// Divides a part into two sides and a separator. The vertices keep their order. Cost O(n + edges).
SplitPart split_part(const DissectionPart& part, const Separation& separation,
                     const ParallelLoop& loop = serial_loop);

}  // namespace espalier::internal
