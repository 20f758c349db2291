// SPDX-License-Identifier: BSD-3-Clause

#include "graph/edges.hpp"

#include <algorithm>

namespace espalier::internal {

void EdgeList::store(TaskGraph& graph) {
  auto& begin = graph.successor_begin;
  begin.assign(graph.task.size() + 1, 0);
  for (const auto& edge : edges_) ++begin[edge.first + 1];
  for (std::size_t t = 1; t < begin.size(); ++t) begin[t] += begin[t - 1];
  graph.successor.resize(edges_.size());
  std::vector<Count> next(begin.begin(), begin.end() - 1);
  for (const auto& [from, to] : edges_) graph.successor[next[from]++] = to;
  for (Index t = 0; t < graph.size(); ++t) {
    std::sort(graph.successor.begin() + begin[t], graph.successor.begin() + begin[t + 1]);
  }
  edges_.clear();
}

namespace {

/// Returns the task that is expected to write the tile first. Groups finish before the panels above
/// them start.
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

}  // namespace espalier::internal
