// SPDX-License-Identifier: BSD-3-Clause
#include "graph/graph_builder.hpp"

#include <span>

#include "base/parallel.hpp"
#include "mapping/counted.hpp"

namespace espalier::internal {

GraphBuilder::GraphBuilder(const PanelStructure& structure, const KernelCost& cost, Fill fill,
                           TaskGraph& graph)
    : structure_(structure),
      cost_(cost),
      fill_(fill),
      graph_(graph),
      parts_(structure, graph.tiling),
      edges_(graph.tiling.tile.size()) {}

Index GraphBuilder::append(const Task& task, KernelSum kernels) {
  const bool writes_tile = task.target >= 0 && graph_.written_instead(task) < 0;
  if (fill_ == Fill::by_tasks && writes_tile && edges_.writers(task.target).empty()) {
    edges_.add_first_writer(task.target, graph_.size());
    graph_.task.push_back({.kind = TaskKind::fill, .target = task.target});
  }
  Task& appended = graph_.task.emplace_back(task);
  appended.flops = kernels.flops();
  appended.seconds = kernels.seconds();
  appended.inner = kernels.inner();
  return counted(graph_.task.size(), "tasks") - 1;
}

Index GraphBuilder::append_writer(const Task& task, KernelSum kernels) {
  const Index t = append(task, kernels);
  if (graph_.written_instead(task) < 0) edges_.add_writer(task.target, t);
  return t;
}

Index GraphBuilder::append_reduce(Index t, Index contribution) {
  const auto entries =
      static_cast<double>(graph_.entries_of(structure_, graph_.contribution[contribution]));
  return append_writer({.kind = TaskKind::reduce, .target = t, .contribution = contribution},
                       {entries, cost_.reduce(entries), 1});
}

void GraphBuilder::append_message(Message message) {
  message.before = graph_.size();
  graph_.message.push_back(message);
}

void GraphBuilder::finish(Index threads) {
  edges_.store(graph_);
  set_priorities(graph_);
  add_fills(graph_, edges_, structure_, cost_);
  constexpr Index tasks_a_range = 500;
  parallel_ranges(graph_.size(), tasks_a_range, threads, [&](Index first, Index last) {
    for (Task& task : std::span(graph_.task).subspan(first, last - first)) {
      task.kernels = task.seconds;
      task.seconds = cost_.task(task.kind, task.kernels, task.flops);
    }
  });
  set_priorities(graph_);
}

}  // namespace espalier::internal
