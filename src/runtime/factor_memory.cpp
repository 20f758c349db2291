// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/factor_memory.hpp"

#include <algorithm>
#include <limits>

#include "base/scalar.hpp"
#include "graph/batches.hpp"
#include "graph/exchange.hpp"

namespace espalier::internal {

std::vector<MatrixView> contribution_views(const PanelStructure& structure,
                                           const TaskGraph& graph) {
  std::vector<MatrixView> views;
  for (const Contribution& contribution : graph.contribution) {
    const auto rows = static_cast<Index>(contribution.row_end - contribution.row_begin);
    const Index panel = graph.tiling.tile[contribution.tile].panel;
    views.push_back({nullptr, rows, structure.width(panel), rows});
  }
  return views;
}

namespace {

/// A part of the array of a process: a tile or a strip of a shared panel, as a whole matrix.
struct OwnPart {
  Index data;   ///< number of the tile, or of the strip if there are batches
  Count begin;  ///< position of the first entry in the array
  Index rows;
  Index panel;
};

Index rows_of_strip(const TaskGraph& graph, Index strip) {
  Index rows = 0;
  for_each_tile_of_strip(graph, strip, [&](Index t, Index first_row) {
    rows = first_row + graph.tiling.tile[t].row_end - graph.tiling.tile[t].row_begin;
  });
  return rows;
}

/// Calls f(part) for all tiles of shared panels that the process owns, or for its strips if there
/// are batches. Returns the end of the last part.
template <class F>
Count place_shared_parts(const PartView& part, const TaskGraph& graph, F f) {
  const auto& [structure, ownership] = part;
  Count begin = structure.value_begin[ownership.shared_begin];
  const auto place = [&](Index data, const Tile& first, Index rows) {
    if (!ownership.is_shared(first.panel) || owner_of(part, first) != ownership.rank) return;
    f(OwnPart{data, begin, rows, first.panel});
    begin += scalar.in_whole_lines(Count{rows} * structure.width(first.panel));
  };
  const auto& tiles = graph.tiling.tile;
  if (graph.batches.empty()) {
    for (Count t = graph.tiling.tile_begin[ownership.shared_begin]; t < std::ssize(tiles); ++t) {
      place(static_cast<Index>(t), tiles[t], tiles[t].row_end - tiles[t].row_begin);
    }
  }
  for (Index s = 0; s < graph.batches.strips(); ++s) {
    place(s, tiles[graph.batches.tiles(s).front()], rows_of_strip(graph, s));
  }
  return begin;
}

}  // namespace

MatrixView view_of_group(double* values, Count length) {
  constexpr Index line = scalar.entries_of_line();  // each panel begins and ends at a line boundary
  const Index rows = length > std::numeric_limits<Index>::max() ? line : static_cast<Index>(length);
  return {values, rows, rows == 0 ? 0 : static_cast<Index>(length / rows), rows};
}

Count stored_entries(const PartView& part, const TaskGraph& graph) {
  return place_shared_parts(part, graph, [](const OwnPart&) {});
}

namespace {

/// Returns the tiles of shared panels, or the strips if there are batches. Parts that the process
/// neither owns nor receives have no rows.
std::vector<MatrixView> shared_parts(const PartView& part, const TaskGraph& graph, double* values) {
  const PanelStructure& structure = part.structure;
  const bool in_strips = !graph.batches.empty();
  const auto tiles = graph.tiling.tile.size();
  std::vector<MatrixView> parts(in_strips ? static_cast<std::size_t>(graph.batches.strips())
                                          : tiles);
  place_shared_parts(part, graph, [&](const OwnPart& own) {
    parts[own.data] = {values + own.begin, own.rows, structure.width(own.panel), own.rows};
  });
  for (const Message& message : graph.transfers()) {
    if (message.kind != Message::Kind::receive) continue;
    if (!in_strips && message.data >= static_cast<Index>(tiles)) continue;
    const Index first = in_strips ? graph.batches.tiles(message.data).front() : message.data;
    const Tile& tile = graph.tiling.tile[first];
    const Index rows =
        in_strips ? rows_of_strip(graph, message.data) : tile.row_end - tile.row_begin;
    parts[message.data] = {nullptr, rows, structure.width(tile.panel), rows};
  }
  return parts;
}

/// Returns the tiles of the domain, which are parts of whole panels.
std::vector<MatrixView> domain_tiles(const PartView& part, const TaskGraph& graph, double* values) {
  const PanelStructure& structure = part.structure;
  std::vector<MatrixView> tiles;
  for (Count t = 0; t < graph.tiling.tile_begin[part.ownership.shared_begin]; ++t) {
    const Tile& tile = graph.tiling.tile[t];
    tiles.push_back({values + structure.value_begin[tile.panel] + tile.row_begin,
                     tile.row_end - tile.row_begin, structure.width(tile.panel),
                     structure.height(tile.panel)});
  }
  return tiles;
}

/// Returns the tiles of shared panels as parts of their strips.
std::vector<MatrixView> tiles_in_strips(const TaskGraph& graph,
                                        std::span<const MatrixView> strips) {
  std::vector<MatrixView> tiles(graph.tiling.tile.size());
  for (Index s = 0; s < graph.batches.strips(); ++s) {
    const MatrixView& strip = strips[s];
    if (strip.rows == 0) continue;
    for_each_tile_of_strip(graph, s, [&](Index t, Index first_row) {
      const Tile& tile = graph.tiling.tile[t];
      double* const memory = strip.data == nullptr ? nullptr : strip.data + first_row;
      tiles[t] = {memory, tile.row_end - tile.row_begin, strip.columns, strip.ld};
    });
  }
  return tiles;
}

}  // namespace

std::vector<MatrixView> data_in_array(const PartView& part, const TaskGraph& graph,
                                      double* values) {
  const PanelStructure& structure = part.structure;
  std::vector<MatrixView> data = shared_parts(part, graph, values);
  if (!graph.batches.empty()) data = tiles_in_strips(graph, data);
  std::ranges::copy(domain_tiles(part, graph, values), data.begin());
  for (const auto& group : graph.cut.groups) {
    const Count begin = structure.value_begin[group.panel_begin];
    const Count length = structure.value_begin[group.panel_end] - begin;
    data.push_back(view_of_group(values + begin, length));
  }
  const auto contributions = contribution_views(structure, graph);
  data.insert(data.end(), contributions.begin(), contributions.end());
  return data;
}

std::vector<MatrixView> strips_in_array(const PartView& part, const TaskGraph& graph,
                                        double* values) {
  std::vector<MatrixView> strips = shared_parts(part, graph, values);
  const std::vector<MatrixView> tiles = domain_tiles(part, graph, values);
  for (Index s = 0; s < graph.batches.strips(); ++s) {
    const Index first = graph.batches.tiles(s).front();
    if (first < std::ssize(tiles)) strips[s] = tiles[first];
  }
  return strips;
}

std::vector<std::span<double>> outside_of_groups(const PanelStructure& structure,
                                                 const TaskGraph& graph, std::span<double> values) {
  std::vector<std::span<double>> parts;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    if (end > begin) parts.push_back(values.subspan(begin, end - begin));
  };
  for (const auto& group : graph.cut.groups) {
    end_at(static_cast<std::size_t>(structure.value_begin[group.panel_begin]));
    begin = static_cast<std::size_t>(structure.value_begin[group.panel_end]);
  }
  end_at(values.size());
  return parts;
}

}  // namespace espalier::internal
