// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/edges.hpp"
#include "graph/task_graph.hpp"

namespace espalier {

/// Adds to the seconds of tasks what initialising the tiles costs, each to the task that writes it
/// first: the one that fills it where there is one; of those of the groups the most urgent one,
/// else the first in the order of the graph. A tile that no task here writes, because another rank
/// does, is left out. Edges are stored and priorities set. Cost O(edges).
void add_fills(TaskGraph& graph, const EdgeList& edges, const PanelStructure& structure,
               const KernelCost& cost);

}  // namespace espalier
