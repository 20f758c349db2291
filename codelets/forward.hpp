// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/solve_node.hpp"

namespace espalier {

/// Some rows and panels of a node in L y = b. The first task on a row takes it from b, or from
/// zero outside the node's columns, and adds what the children of the node left for it. What is
/// left in the external rows at the end is for the parent.
struct ForwardTask : SolveArguments {
  bool first = false;  ///< on its rows

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
