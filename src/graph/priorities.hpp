// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/task_graph.hpp"

namespace espalier {

/// Sets every task's priority to its bottom level: the predicted seconds of the longest path from
/// its start to the end of the graph, the tails on other ranks included (Kwok and Ahmad, ACM
/// Computing Surveys 31(4), 1999). Cost O(tasks + edges).
void set_priorities(TaskGraph& graph);

/// Predicted seconds of the longest path: no number of workers is faster.
double critical_path(const TaskGraph& graph);

}  // namespace espalier
