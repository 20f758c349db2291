// SPDX-License-Identifier: BSD-3-Clause
#include "graph/shadows.hpp"

#include <algorithm>
#include <span>

namespace espalier {

Shadows::Shadows(const PanelStructure& structure, const OffloadPlan& plan, const Exchange* exchange,
                 TaskGraph& graph)
    : structure_(&structure),
      plan_(&plan),
      exchange_(exchange),
      first_(static_cast<Index>(graph.contribution.size())),
      of_tile_(graph.tiling.tile.size(), -1),
      last_of_domain_(structure.panels(), -1) {
  UpdatedRows updated(structure, plan.own);
  for (Index k = 0; k < structure.panels(); ++k) {
    if (plan.device[k] >= 0) enter(k, updated, graph);
  }
  writers_.resize(graph.contribution.size() - static_cast<std::size_t>(first_));
}

void Shadows::enter(Index panel, UpdatedRows& updated, TaskGraph& graph) {
  const std::vector<Index> touched = updated.of(panel, [&](Index source, Count block) {
    const bool writes = plan_->on_device(*structure_, source, block);
    if (writes && exchange_ && !exchange_->is_shared(source)) last_of_domain_[panel] = source;
    return writes;
  });
  const auto rows = structure_->rows(panel);
  auto from = touched.begin();
  for (Count t = graph.tiling.tile_begin[panel]; t < graph.tiling.tile_begin[panel + 1]; ++t) {
    const auto to = std::upper_bound(from, touched.end(), rows[graph.tiling.tile[t].row_end - 1]);
    if (from == to) continue;
    const auto begin = static_cast<Count>(graph.contribution_row.size());
    graph.contribution_row.insert(graph.contribution_row.end(), from, to);
    of_tile_[t] = static_cast<Index>(graph.contribution.size());
    graph.contribution.push_back({static_cast<Index>(t), exchange_ ? exchange_->rank() : 0, begin,
                                  static_cast<Count>(graph.contribution_row.size()),
                                  plan_->device[panel],
                                  exchange_ ? exchange_->outgoing(static_cast<Index>(t)) : -1});
    from = to;
  }
}

void Shadows::add_reader(Index shadow, Index t, EdgeList& edges) const {
  const std::span<const Index> writers(writers_[shadow - first_]);
  for (const Index writer : writers.subspan(1)) edges.add(writer, t);
}

}  // namespace espalier
