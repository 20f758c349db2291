// SPDX-License-Identifier: BSD-3-Clause

#include "graph/shadows.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace espalier::internal {

Shadows::Shadows(const OffloadPlan* plan, const Exchange& exchange, GraphBuilder& builder)
    : plan_(plan),
      exchange_(exchange),
      builder_(builder),
      first_(static_cast<Index>(builder.graph().contribution.size())) {
  if (!plan) return;
  const PanelStructure& structure = builder.structure();
  of_tile_.assign(builder.graph().tiling.tile.size(), -1);
  last_contributor_.assign(structure.panels(), -1);
  UpdatedRows updated(structure, plan->own);
  for (Index k = 0; k < structure.panels(); ++k) {
    if (plan->device[k] >= 0) enter(k, updated);
  }
  writers_.resize(builder.graph().contribution.size() - static_cast<std::size_t>(first_));
}

void Shadows::enter(Index panel, UpdatedRows& updated) {
  const PanelStructure& structure = builder_.structure();
  TaskGraph& graph = builder_.graph();
  const std::vector<Index> touched = updated.of(panel, [&](Index source, Count block) {
    const bool writes = plan_->on_device(structure, source, block);
    if (writes && exchange_.contributes(source)) last_contributor_[panel] = source;
    return writes;
  });
  const auto rows = structure.rows(panel);
  auto from = touched.begin();
  const UpdateParts& parts = builder_.parts();
  for (Index t = parts.first_tile(panel); t < parts.first_tile(panel + 1); ++t) {
    const auto to = std::upper_bound(from, touched.end(), rows[parts.tile(t).row_end - 1]);
    if (from == to) continue;
    const auto begin = static_cast<Count>(graph.contribution_row.size());
    graph.contribution_row.insert(graph.contribution_row.end(), from, to);
    of_tile_[t] = static_cast<Index>(graph.contribution.size());
    graph.contribution.push_back({t, exchange_.rank(), begin,
                                  static_cast<Count>(graph.contribution_row.size()),
                                  plan_->device[panel], exchange_.outgoing(t)});
    from = to;
  }
}

Index Shadows::append_writer(const Task& task, KernelSum kernels) {
  const Index shadow = task.contribution;
  std::vector<Index>& writers = writers_of(shadow);
  if (writers.empty()) {
    const TaskGraph& graph = builder_.graph();
    const Count entries = graph.entries_of(builder_.structure(), graph.contribution[shadow]);
    writers.push_back(
        builder_.append({.kind = TaskKind::fill, .target = task.target, .contribution = shadow},
                        {0, builder_.cost().fill(static_cast<double>(entries)), 0}));
  }
  const Index t = builder_.append(task, kernels);
  builder_.edges().add(writers.front(), t);
  writers.push_back(t);
  return t;
}

void Shadows::reduce(Index t) {
  if (any() && exchange_.is_own(t)) append_reduce(t);
}

void Shadows::reduce_outgoing(Index j) {
  if (!any()) return;
  const UpdateParts& parts = builder_.parts();
  for (const Block& block : builder_.structure().blocks(j).subspan(1)) {
    if (last_contributor_[block.facing] != j) continue;
    for (Index t = parts.first_tile(block.facing); t < parts.first_tile(block.facing + 1); ++t) {
      if (exchange_.outgoing(t) >= 0) append_reduce(t);
    }
  }
}

/// Appends R after all tasks that add to the shadow, and the message that frees the shadow.
void Shadows::append_reduce(Index t) {
  const Index shadow = of_tile_[t];
  if (shadow < 0) return;
  const Index reduce = builder_.append_reduce(t, shadow);
  const std::span<const Index> writers(writers_of(shadow));
  for (const Index writer : writers.subspan(1)) builder_.edges().add(writer, reduce);
  builder_.append_message(
      {.kind = Message::Kind::discard, .data = builder_.graph().contribution_data(shadow)});
}

}  // namespace espalier::internal
