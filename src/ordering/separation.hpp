// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ordering/weighted_graph.hpp"

namespace espalier {

/// A vertex separator: no edge joins a vertex of side 0 with one of side 1.
struct Separation {
  static constexpr std::uint8_t separator = 2;

  std::vector<std::uint8_t> part;  ///< of every vertex: 0, 1 or separator
  std::array<Index, 3> weight{};   ///< of the parts
};

/// What a small separator is worth against balanced sides.
struct SeparationCost {
  /// The largest share of both sides that one may have; beyond, excess weight counts like that of
  /// the separator.
  double heaviest_share = 0.6;

  double of(const Separation& separation) const;
  /// Whether a side of this weight is within its share.
  bool admits(double side, const Separation& separation) const {
    const auto& weight = separation.weight;
    return side <= heaviest_share * (static_cast<double>(weight[0]) + weight[1]);
  }
};

/// Throws InputError at the first edge between the sides, or where a weight is not the sum of those
/// of its vertices.
void check(const WeightedGraph& graph, const Separation& separation);

}  // namespace espalier
