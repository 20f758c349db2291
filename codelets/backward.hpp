// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/solve_node.hpp"

namespace espalier {

/// One node of Lᵀ x = y: takes x at its external rows from its parent's front, solves for its own,
/// and stores them in the numbering of A. Data: its front; the front of its parent where it has
/// one.
struct BackwardTask : SolveArguments {
  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
