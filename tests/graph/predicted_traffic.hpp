// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/exchange.hpp"
#include "mapping/local_structure.hpp"
#include "mapping/rank_map.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal::support {

/// Messages between ranks, computed from the definition of the map: from the rows of the whole
/// structure and their owners, without the view of any rank.
class PredictedTraffic {
 public:
  /// Uses only the first rows of the tiles, so the view of any rank will do.
  PredictedTraffic(const PanelStructure& whole, const RankMap& map, const LocalStructure& any,
                   const Tiling& tiling)
      : whole_(whole), map_(map), number_(whole.panels(), -1), tile_begin_(whole.panels()) {
    Index shared = 0;
    for (Index p = 0; p < whole.panels(); ++p) {
      panel_of_.insert(panel_of_.end(), whole.width(p), p);
      if (map.domain[p] != RankMap::shared) continue;
      for (const Tile& tile : tiling.of(any.shared_begin + shared)) {
        tile_begin_[p].push_back(tile.row_begin);
      }
      number_[p] = shared++;
    }
    for (Index p = 0; p < whole.panels(); ++p) is_shared(p) ? follow_shared(p) : follow_domain(p);
  }

  /// Counts tiles of shared panels, once for each other rank that needs them. Also counts
  /// contributions of a rank to tiles of other ranks. Each contribution has the rows that the rank
  /// updates in the tile, by panels of its domain or by others, and all columns.
  std::vector<Traffic> of_factorization() const {
    std::vector<Traffic> traffic(map_.ranks);
    for (const auto& [panel, tile, to] : needed_) {
      count(traffic, owner(panel, tile), to, tile_rows(panel, tile) * whole_.width(panel));
    }
    for (const auto& [key, rows] : contributed_) {
      const auto& [panel, tile, from] = key;
      count(traffic, from, owner(panel, tile), std::ssize(rows) * whole_.width(panel));
    }
    return traffic;
  }
  /// Counts two messages, to and from the owner of the diagonal tile of a panel, for each other
  /// rank that has tiles of the panel, or whose domain or other tiles have rows in the panel.
  std::vector<Traffic> of_solve(Index columns) const {
    std::vector<Traffic> traffic(map_.ranks);
    for (const auto* held : {&meets_, &holds_}) {
      for (const auto& [panel, rank] : *held) {
        const Count entries = Count{1} * whole_.width(panel) * columns;
        count(traffic, rank, owner(panel, 0), entries);
        count(traffic, owner(panel, 0), rank, entries);
      }
    }
    return traffic;
  }

 private:
  bool is_shared(Index panel) const { return number_[panel] >= 0; }
  Index tile_at(Index panel, Index position) const {
    const auto& begins = tile_begin_[panel];
    const auto after = std::upper_bound(begins.begin(), begins.end(), position);
    return static_cast<Index>(after - begins.begin()) - 1;
  }
  Index tile_with(Index panel, Index row) const {
    const auto rows = whole_.rows(panel);
    const auto at = std::lower_bound(rows.begin(), rows.end(), row);
    return tile_at(panel, static_cast<Index>(at - rows.begin()));
  }
  Count tile_rows(Index panel, Index tile) const {
    const auto& begins = tile_begin_[panel];
    const bool last = tile + 1 == std::ssize(begins);
    return (last ? whole_.height(panel) : begins[tile + 1]) - begins[tile];
  }
  Index owner(Index panel, Index tile) const {
    const Index facing = panel_of_[whole_.rows(panel)[tile_begin_[panel][tile]]];
    return map_.grid[number_[panel]].rank(number_[facing], number_[panel]);
  }

  /// Returns the rank that computes the updates of a tile by a shared panel.
  Index updater(Index source, Index target, Index tile) const {
    const Index facing = panel_of_[whole_.rows(target)[tile_begin_[target][tile]]];
    return internal::updater(map_.grid, number_[source], number_[facing], number_[target]);
  }

  void follow_shared(Index j) {
    for (Index t = 0; t < std::ssize(tile_begin_[j]); ++t) {
      need(j, 0, owner(j, t));
      if (t > 0 && owner(j, t) != owner(j, 0)) holds_.emplace(j, owner(j, t));
    }
    // products in one tile of the same source need the same two tiles
    std::array<Index, 4> last{-1};
    for_each_target(j, [&](Index c, Index r, Index target, Index tile) {
      const std::array<Index, 4> tiles{target, tile, tile_at(j, r), tile_at(j, c)};
      const Index rank = updater(j, target, tile);
      if (rank != owner(target, tile)) {
        contributed_[{target, tile, rank}].insert(whole_.rows(j)[r]);
      }
      if (tiles == last) return;
      last = tiles;
      need(j, tiles[2], rank);
      need(j, tiles[3], rank);
      meet(target, owner(j, tiles[3]));
    });
  }
  void follow_domain(Index j) {
    const Index rank = map_.domain[j];
    for_each_target(j, [&](Index, Index r, Index target, Index tile) {
      meet(target, rank);
      if (owner(target, tile) == rank) return;
      contributed_[{target, tile, rank}].insert(whole_.rows(j)[r]);
    });
  }
  /// Calls visit(c, r, target, tile) for the products of the rows at c and r >= c of panel j that
  /// are subtracted from a tile of a shared panel.
  template <class Visit>
  void for_each_target(Index j, Visit visit) {
    const auto rows = whole_.rows(j);
    const Index height = whole_.height(j);
    for (Index c = whole_.width(j); c < height; ++c) {
      const Index target = panel_of_[rows[c]];
      if (!is_shared(target)) continue;
      for (Index r = c; r < height; ++r) visit(c, r, target, tile_with(target, rows[r]));
    }
  }
  void need(Index panel, Index tile, Index rank) {
    if (rank != owner(panel, tile)) needed_.emplace(panel, tile, rank);
  }
  void meet(Index panel, Index rank) {
    if (rank != owner(panel, 0)) meets_.emplace(panel, rank);
  }
  static void count(std::vector<Traffic>& traffic, Index from, Index to, Count entries) {
    const Count bytes = entries * static_cast<Count>(sizeof(double));
    ++traffic[from].messages_sent;
    traffic[from].bytes_sent += bytes;
    ++traffic[to].messages_received;
    traffic[to].bytes_received += bytes;
  }

  const PanelStructure& whole_;
  const RankMap& map_;
  std::vector<Index> number_;  ///< number of each panel among the shared ones, or -1
  std::vector<std::vector<Index>> tile_begin_;        ///< by shared panel
  std::vector<Index> panel_of_;                       ///< panel of each column
  std::set<std::tuple<Index, Index, Index>> needed_;  ///< panel, tile, rank that needs it
  /// panel, tile and rank -> rows of the contribution
  std::map<std::tuple<Index, Index, Index>, std::set<Index>> contributed_;
  std::set<std::pair<Index, Index>> meets_;  ///< panel, other rank with rows in it
  std::set<std::pair<Index, Index>> holds_;  ///< panel, other rank with tiles of it
};

}  // namespace espalier::internal::support
