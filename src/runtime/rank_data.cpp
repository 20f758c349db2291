// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/rank_data.hpp"

#include <algorithm>
#include <vector>

#include "graph/exchange.hpp"
#include "runtime/factor_tasks.hpp"

namespace espalier {

namespace {

Count rounded(Count entries) {
  constexpr Count line = 8;
  return (entries + line - 1) / line * line;
}

/// Calls f(t, begin) for all tiles of shared panels that the rank owns, with where they begin;
/// returns where the last one ends.
template <class F>
Count place_shared_tiles(const LocalStructure& structure, const TaskGraph& graph, F f) {
  Count begin = structure.value_begin[structure.shared_begin];
  const Tiling& tiling = graph.tiling;
  for (Count t = tiling.tile_begin[structure.shared_begin]; t < tiling.tile_begin.back(); ++t) {
    const Tile& tile = tiling.tile[t];
    if (owner_of(structure, tile) != structure.rank) continue;
    f(static_cast<Index>(t), begin);
    begin +=
        rounded(static_cast<Count>(tile.row_end - tile.row_begin) * structure.width(tile.panel));
  }
  return begin;
}

}  // namespace

Count stored_entries(const LocalStructure& structure, const TaskGraph& graph) {
  return place_shared_tiles(structure, graph, [](Index, Count) {});
}

std::vector<MatrixView> data_of_rank(const LocalStructure& structure, const TaskGraph& graph,
                                     double* values) {
  const auto tiles = graph.tiling.tile.size();
  std::vector<MatrixView> data(tiles + graph.cut.groups.size() + graph.contribution.size());
  const auto view_of = [&](Index t, double* memory) -> MatrixView {
    const Tile& tile = graph.tiling.tile[t];
    const Index rows = tile.row_end - tile.row_begin;
    return {memory, rows, structure.width(tile.panel), rows};
  };
  for (Count t = 0; t < graph.tiling.tile_begin[structure.shared_begin]; ++t) {
    const Tile& tile = graph.tiling.tile[t];
    data[t] = {values + structure.value_begin[tile.panel] + tile.row_begin,
               tile.row_end - tile.row_begin, structure.width(tile.panel),
               structure.height(tile.panel)};
  }
  place_shared_tiles(structure, graph,
                     [&](Index t, Count begin) { data[t] = view_of(t, values + begin); });
  for (const Message& message : graph.message) {
    if (message.kind != Message::Kind::receive) continue;
    if (message.data < static_cast<Index>(tiles))
      data[message.data] = view_of(message.data, nullptr);
  }
  for (std::size_t r = 0; r < graph.cut.groups.size(); ++r) {
    const auto& group = graph.cut.groups[r];
    const Count begin = structure.value_begin[group.panel_begin];
    const Count length = structure.value_begin[group.panel_end] - begin;
    data[tiles + r] = {values + begin, static_cast<Index>(length), 1, length};
  }
  const auto contributions = contribution_views(structure, graph);
  std::copy(contributions.begin(), contributions.end(), data.begin() + graph.contribution_data(0));
  return data;
}

}  // namespace espalier
