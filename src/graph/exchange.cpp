// SPDX-License-Identifier: BSD-3-Clause
#include "graph/exchange.hpp"

#include <algorithm>
#include <limits>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "graph/update_parts.hpp"
#include "mapping/counted.hpp"

namespace espalier::internal {

Index row_panel_of(const PanelStructure& structure, const Tile& tile) {
  const auto blocks = structure.blocks(tile.panel);
  const auto block = std::lower_bound(blocks.begin(), blocks.end(), tile.row_begin,
                                      [](const Block& b, Index row) { return b.row_offset < row; });
  return block->facing;
}

Index owner_of(const PartView& part, const Tile& tile) {
  const auto& [structure, ownership] = part;
  if (!ownership.is_shared(tile.panel)) return ownership.rank;
  return ownership.owner(tile.panel, row_panel_of(structure, tile));
}

Index updater_of(const PartView& part, Index source, const Tile& tile) {
  return part.ownership.updater(source, tile.panel, row_panel_of(part.structure, tile));
}

namespace {

/// Size of the data of a message, and the panel of the data; -1 for a contribution.
struct SizeOfData {
  Count bytes;
  Index panel;
};

SizeOfData size_of_tile(const TaskGraph& graph, const PanelStructure& structure, Index data) {
  const auto tiles = static_cast<Index>(graph.tiling.tile.size());
  if (data >= tiles) {
    const Contribution& contribution = graph.contribution[data - graph.contribution_data(0)];
    return {scalar.bytes_of(graph.entries_of(structure, contribution)), -1};
  }
  const Tile& tile = graph.tiling.tile[data];
  return {scalar.bytes_of(entries_of(structure, tile)), tile.panel};
}

SizeOfData size_of_strip(const TaskGraph& graph, const PanelStructure& structure, Index strip) {
  SizeOfData size{0, -1};
  for (const Index t : graph.batches.tiles(strip)) {
    const SizeOfData tile = size_of_tile(graph, structure, t);
    size = {size.bytes + tile.bytes, tile.panel};
  }
  return size;
}

/// Returns the size of the data of one of TaskGraph::transfers().
SizeOfData size_of_transfer(const TaskGraph& graph, const PanelStructure& structure, Index data) {
  return graph.batches.empty() ? size_of_tile(graph, structure, data)
                               : size_of_strip(graph, structure, data);
}

}  // namespace

Traffic traffic_of(const TaskGraph& graph, const PanelStructure& structure) {
  Traffic traffic;
  for (const Message& m : graph.message) {
    const bool sends = m.kind == Message::Kind::send;
    if (!sends && m.kind != Message::Kind::receive) continue;
    const Count bytes = size_of_tile(graph, structure, m.data).bytes;
    (sends ? traffic.messages_sent : traffic.messages_received) += 1;
    (sends ? traffic.bytes_sent : traffic.bytes_received) += bytes;
  }
  return traffic;
}

void expect_messages_of_mpi(const TaskGraph& graph, const PanelStructure& structure) {
  constexpr Count most = std::numeric_limits<int>::max();
  for (const Message& m : graph.transfers()) {
    if (m.kind != Message::Kind::send && m.kind != Message::Kind::receive) continue;
    const Count bytes = size_of_transfer(graph, structure, m.data).bytes;
    if (bytes <= most) continue;
    throw UsageError("ranks would exchange a tile of L of " + readable_bytes(bytes) +
                     ", more than the " + readable_bytes(most) +
                     " of an MPI message; choose narrower panels or tiles of fewer rows");
  }
}

void set_group_bytes(TaskGraph& graph, const PartView& part) {
  const auto& [structure, ownership] = part;
  Message* made = nullptr;   // first message of the current group of contributions
  Message* first = nullptr;  // first message of the current group of received data
  Index panel = -1;          // panel of these data
  for (Message& m : graph.batches.empty() ? graph.message : graph.batches.message) {
    const bool receives = m.kind == Message::Kind::receive;
    if (!receives && m.kind != Message::Kind::begin) continue;
    const SizeOfData size = size_of_transfer(graph, structure, m.data);
    if (!receives) {
      if (made == nullptr || !ownership.computes_elsewhere()) made = &m;
      made->group_bytes += size.bytes;
      continue;
    }
    if (size.panel < 0 || size.panel != panel) first = &m;
    panel = size.panel;
    first->group_bytes += size.bytes;
  }
}

Count largest_group_bytes(const TaskGraph& graph, Message::Kind kind) {
  Count most = 0;
  for (const Message& m : graph.transfers()) {
    if (m.kind == kind) most = std::max(most, m.group_bytes);
  }
  return most;
}

OwnUpdates own_updates(const PanelStructure& structure, const Ownership& ownership,
                       const Tiling& tiling) {
  OwnUpdates own;
  if (ownership.shared_begin == structure.panels()) return own;
  const UpdateParts parts(structure, tiling);
  for (Index p = 0; p < structure.panels(); ++p) {
    own.end_block();
    for (Count b = structure.block_begin[p] + 1; b < structure.block_begin[p + 1]; ++b) {
      const Task::Range columns{structure.block[b].row_offset, structure.block_end(p, b)};
      if (!ownership.is_shared(p)) {
        own.add({columns.begin, structure.height(p)});
      } else {
        parts.for_each_part(p, columns, structure.block[b].facing, [&](Index t, Task::Range rows) {
          if (updater_of({structure, ownership}, p, tiling.tile[t]) != ownership.rank) return;
          own.add({rows.begin, rows.end});
        });
      }
      own.end_block();
    }
  }
  return own;
}

Exchange::Exchange(const PanelStructure& structure, const Ownership& ownership,
                   const Tiling& tiling)
    : structure_(structure),
      ownership_(ownership),
      tiling_(tiling),
      first_tile_(static_cast<Index>(tiling.tile_begin[ownership.shared_begin])) {
  const std::span shared(tiling.tile.begin() + first_tile_, tiling.tile.end());
  outgoing_.assign(shared.size(), -1);
  incoming_.resize(shared.size());
  owner_.reserve(shared.size());
  row_panel_.reserve(shared.size());
  for (const Tile& tile : shared) {
    row_panel_.push_back(row_panel_of(structure, tile));
    owner_.push_back(ownership.owner(tile.panel, row_panel_.back()));
  }
}

namespace {

/// Returns whether one of the ascending numbers is in [first, last].
bool any_between(std::span<const Index> numbers, Index first, Index last) {
  const auto at = std::lower_bound(numbers.begin(), numbers.end(), first);
  return at != numbers.end() && *at <= last;
}

}  // namespace

Index Exchange::updater(Index source, Index target) const {
  if (!is_shared(source)) return rank();
  if (!ownership_.computes_elsewhere()) return owner(target);
  return ownership_.updater(source, tiling_.tile[target].panel, row_panel_[target - first_tile_]);
}

void Exchange::find_contributions(TaskGraph& graph) {
  for (Index k = shared_begin(); k < structure_.panels(); ++k) {
    const std::vector<Updates> updates = updates_of(k);
    if (updates.empty()) continue;
    for (Count t = tiling_.tile_begin[k]; t < tiling_.tile_begin[k + 1]; ++t) {
      meet(graph, static_cast<Index>(t), updates);
    }
  }
}

/// Returns updates of a shared panel that may become contributions.
std::vector<Exchange::Updates> Exchange::updates_of(Index panel) const {
  std::vector<Updates> found;
  add_updates_of_domains(panel, found);
  if (ownership_.computes_elsewhere()) add_updates_of_grid(panel, found);
  return found;
}

/// Adds the boundaries that have columns of the panel.
void Exchange::add_updates_of_domains(Index panel, std::vector<Updates>& found) const {
  const Index first = structure_.panel_begin[panel];
  const Index last = structure_.panel_begin[panel + 1] - 1;
  for (const Ownership::Boundary& boundary : ownership_.boundary) {
    const auto rows = ownership_.rows_of(boundary);
    if (any_between(rows, first, last)) found.push_back({boundary.rank, -1, rows});
  }
}

/// Adds the updates by shared panels that one rank may compute for another one, if this rank may be
/// one of the two.
void Exchange::add_updates_of_grid(Index panel, std::vector<Updates>& found) const {
  for (Count f = structure_.facing_begin[panel]; f < structure_.facing_begin[panel + 1]; ++f) {
    const Index source = structure_.facing_source[f];
    if (!is_shared(source) || !may_exchange(source, panel)) continue;
    const Block& block = structure_.block[structure_.facing_block[f]];
    found.push_back({-1, source, structure_.rows(source).subspan(block.row_offset)});
  }
}

/// Returns whether this rank may send or receive sums of updates of `panel` by `source`.
bool Exchange::may_exchange(Index source, Index panel) const {
  const RankGrid& to = ownership_.grid[panel - shared_begin()];
  const RankGrid& from = ownership_.grid[source - shared_begin()];
  if (!to.fans_both()) return (to.has(rank()) || from.has(rank())) && !to.has_cells_of(from);
  const Index owner = ownership_.owner(panel, panel);
  const Index updater = ownership_.updater(source, panel, panel);
  return updater != owner && (updater == rank() || owner == rank());
}

/// Returns the updates of a tile that this rank computes for another one, or another one for this
/// rank, by ascending rank.
std::vector<Exchange::Updates> Exchange::updates_of_tile(Index t,
                                                         std::span<const Updates> of_panel) const {
  std::vector<Updates> found;
  for (Updates updates : of_panel) {
    if (updates.rank < 0) updates.rank = updater(updates.source, t);
    if (updates.rank == owner(t) || (updates.rank != rank() && !is_own(t))) continue;
    found.push_back(updates);
  }
  std::ranges::stable_sort(found, {}, &Updates::rank);
  return found;
}

void Exchange::meet(TaskGraph& graph, Index t, std::span<const Updates> of_panel) {
  const std::vector<Updates> updates = updates_of_tile(t, of_panel);
  const Tile& tile = tiling_.tile[t];
  const auto rows = structure_.rows(tile.panel);
  auto& found = graph.contribution_row;
  Task::Range& in = incoming_[t - first_tile_];
  in.begin = static_cast<Index>(graph.contribution.size());
  auto update = updates.begin();
  while (update != updates.end()) {
    const Index rank = update->rank;
    const auto begin = static_cast<Count>(found.size());
    for (; update != updates.end() && update->rank == rank; ++update) {
      const auto& touched = update->rows;
      const auto from = std::lower_bound(touched.begin(), touched.end(), rows[tile.row_begin]);
      const auto to = std::upper_bound(from, touched.end(), rows[tile.row_end - 1]);
      found.insert(found.end(), from, to);
    }
    std::sort(found.begin() + begin, found.end());
    found.erase(std::unique(found.begin() + begin, found.end()), found.end());
    const auto end = static_cast<Count>(found.size());
    if (begin == end) continue;
    if (!is_own(t)) outgoing_[t - first_tile_] = static_cast<Index>(graph.contribution.size());
    graph.contribution.push_back({t, rank, begin, end});
  }
  in.end = counted(graph.contribution.size(), "contributions");
  if (!is_own(t)) in = {};
}

}  // namespace espalier::internal
