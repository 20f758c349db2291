// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
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

  /// Appends S(r), and A(r,t) for each tile t that panels of the group update.
  void add(Index r);

 private:
  struct Assemble {
    Index group = -1;
    KernelSum kernels;
  };

  void add_parts(Index r, Index p, Task::Range columns, Index k);
  KernelSum& assemble_into(Index r, Index t);
  void append_assembles(Index r, Index s);

  GraphBuilder& builder_;
  const Exchange& exchange_;
  std::span<const double> block_seconds_;
  std::vector<Assemble> assemble_;  ///< for each tile t, A(r,t) of the last group r that updates it
  std::vector<Index> assembled_;    ///< tiles that the current group updates
};

}  // namespace espalier::internal
