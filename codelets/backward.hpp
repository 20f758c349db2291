// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/solve_node.hpp"

namespace espalier {

/// Some rows and panels of a node in Lᵀ x = y: takes away what x at these rows contributes to the
/// columns of the panels and, with the diagonal block, solves for them and stores x in the
/// numbering of A. Without panels it only takes x at external rows from the parent.
struct BackwardTask : SolveArguments {
  bool first = false;  ///< on the external rows of the node: takes them from the parent

  void run(TaskData data, Worker& worker) const;
};

/// x at some columns of L to the numbering of A. Data: its piece of a front.
struct StoreTask : VectorArguments {
  Index first_column = 0;

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
