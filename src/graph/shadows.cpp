// SPDX-License-Identifier: BSD-3-Clause
#include "graph/shadows.hpp"

#include <algorithm>
#include <span>

namespace espalier {

Shadows::Shadows(const PanelStructure& structure, const OffloadPlan& plan, TaskGraph& graph)
    : structure_(&structure), plan_(&plan), of_tile_(graph.tiling.tile.size(), -1) {
  for (Index k = 0; k < structure.panels(); ++k) {
    if (plan.device[k] >= 0) enter(k, graph);
  }
  writers_.resize(graph.contribution.size());
}

namespace {

/// Rows of L that the updates of panel k on devices touch, ascending.
std::vector<Index> rows_touched(const PanelStructure& structure, const OffloadPlan& plan, Index k) {
  std::vector<Index> touched;
  for (Count f = structure.facing_begin[k]; f < structure.facing_begin[k + 1]; ++f) {
    const Index source = structure.facing_source[f];
    const Count block = structure.facing_block[f];
    if (!plan.on_device(structure, source, block)) continue;
    const auto rows = structure.rows(source).subspan(structure.block[block].row_offset);
    touched.insert(touched.end(), rows.begin(), rows.end());
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return touched;
}

}  // namespace

void Shadows::enter(Index panel, TaskGraph& graph) {
  constexpr Index this_rank = 0;
  const std::vector<Index> touched = rows_touched(*structure_, *plan_, panel);
  const auto rows = structure_->rows(panel);
  auto from = touched.begin();
  for (Count t = graph.tiling.tile_begin[panel]; t < graph.tiling.tile_begin[panel + 1]; ++t) {
    const auto to = std::upper_bound(from, touched.end(), rows[graph.tiling.tile[t].row_end - 1]);
    if (from == to) continue;
    const auto begin = static_cast<Count>(graph.contribution_row.size());
    graph.contribution_row.insert(graph.contribution_row.end(), from, to);
    of_tile_[t] = static_cast<Index>(graph.contribution.size());
    graph.contribution.push_back({static_cast<Index>(t), this_rank, begin,
                                  static_cast<Count>(graph.contribution_row.size()),
                                  plan_->device[panel]});
    from = to;
  }
}

void Shadows::add_reader(Index shadow, Index t, EdgeList& edges) const {
  const std::span<const Index> writers(writers_[shadow]);
  for (const Index writer : writers.subspan(1)) edges.add(writer, t);
}

}  // namespace espalier
