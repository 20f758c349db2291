// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/solve_node.hpp"

namespace espalier {

/// One node of L y = b: takes its rows of b, adds what its children left for it, solves, and leaves
/// the rest for its parent in the external rows of its front. Data: its front; the fronts of its
/// children in order.
struct ForwardTask : SolveArguments {
  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
