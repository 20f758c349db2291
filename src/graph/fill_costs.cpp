// SPDX-License-Identifier: BSD-3-Clause
#include "graph/fill_costs.hpp"

namespace espalier {

namespace {

/// Groups are through before the panels above them begin.
Task* first_of(TaskGraph& graph, std::span<const Index> writers) {
  Task* first = nullptr;
  for (const Index writer : writers) {
    Task& task = graph.task[writer];
    if (task.kind == TaskKind::fill) return &task;
    const bool earlier =
        first != nullptr && task.kind == TaskKind::assemble && task.priority > first->priority;
    if (first == nullptr || earlier) first = &task;
  }
  return first;
}

}  // namespace

void add_fills(TaskGraph& graph, const EdgeList& edges, const PanelStructure& structure,
               const KernelCost& cost) {
  for (Index t = 0; t < static_cast<Index>(graph.tiling.tile.size()); ++t) {
    Task* const first = first_of(graph, edges.writers(t));
    if (first == nullptr) continue;
    const Tile& tile = graph.tiling.tile[t];
    const double width = structure.width(tile.panel);
    const double height = tile.row_end - tile.row_begin;
    const double share = height / structure.height(tile.panel);
    first->seconds += cost.fill(height * width, share * width);
  }
}

}  // namespace espalier
