// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "graph/exchange.hpp"
#include "graph/graph_builder.hpp"

namespace espalier::internal {

/// Adds the tasks of the groups of subtrees below the cut. All arguments of the constructor must
/// outlive the object.
class SubtreeBuilder {
 public:
  /// `block_seconds` must come from block_seconds() with the costs of the builder.
  SubtreeBuilder(GraphBuilder& builder, const Exchange& exchange,
                 std::span<const double> block_seconds);

  /// Appends S(r) for each group r, and A(r,t) for each tile t that its panels update. Uses
  /// `threads` threads; the result does not depend on their number.
  void add_groups(Index threads);

 private:
  /// Kernels of the tasks of a group.
  struct Kernels {
    KernelSum inside;
    std::vector<std::pair<Index, KernelSum>> assemble;  ///< A into each tile, by ascending tile
  };
  class Summation;

  void append(Index r, const Kernels& kernels);

  GraphBuilder& builder_;
  const Exchange& exchange_;
  std::span<const double> block_seconds_;
};

}  // namespace espalier::internal
