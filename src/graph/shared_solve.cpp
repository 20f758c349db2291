// SPDX-License-Identifier: BSD-3-Clause
#include "graph/shared_solve.hpp"

#include <algorithm>
#include <compare>
#include <span>

namespace espalier::internal {

namespace {

/// Content of a message. Its number is the tag of the message modulo 4.
enum class Content : std::uint8_t {
  forward_rows,
  forward_columns,
  backward_columns,
  backward_rows
};
constexpr Index contents = 4;

/// Another rank that holds a segment of shared panel `k`, whose diagonal tile this rank owns.
struct Holder {
  Index k;
  Index rank;
  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler writes the 0
  auto operator<=>(const Holder&) const = default;
};

class Holders {
 public:
  void add(Index k, Index rank) { list_.push_back({k, rank}); }
  void finish() {
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
  }
  /// Returns the holders of panel k by ascending rank.
  std::span<const Holder> of(Index k) const {
    const auto begin = std::lower_bound(list_.begin(), list_.end(), Holder{k, 0});
    return {begin, std::lower_bound(begin, list_.end(), Holder{k + 1, 0})};
  }

 private:
  std::vector<Holder> list_;
};

class SharedSolveBuilder {
 public:
  SharedSolveBuilder(const PartView& part, const Tiling& tiling, Count tile_entries)
      : structure_(part.structure),
        ownership_(part.ownership),
        tiling_(tiling),
        tile_entries_(tile_entries),
        shared_panels_(structure_.panels() - ownership_.shared_begin) {
    solve_.first_panel = ownership_.shared_begin;
    solve_.rows.assign(shared_panels_, none);
    solve_.columns.assign(shared_panels_, none);
  }

  SharedSolve build() {
    for (Index k = 0; k < shared_panels_; ++k) add_panel(k);
    for (const auto& boundary : ownership_.boundary) add_boundary(boundary);
    other_rows_.finish();
    other_columns_.finish();
    number_segments();
    for (Index k = 0; k < shared_panels_; ++k) {
      if (solve_.rows[k] != none) solve_.forward.push_back({Kind::load, solve_.rows[k]});
    }
    for (Index k = 0; k < shared_panels_; ++k) add_forward(k);
    for (Index k = shared_panels_; k-- > 0;) add_backward(k);
    return std::move(solve_);
  }

 private:
  using Kind = SharedSolve::Step::Kind;
  using Steps = std::vector<SharedSolve::Step>;
  static constexpr Index none = -1;
  static constexpr Index wanted = 0;  ///< marks a segment that gets its number later

  void add_panel(Index k) {
    const Index p = ownership_.shared_begin + k;
    tile_begin_.push_back(static_cast<Index>(solve_.tile.size()));
    if (owns(k)) solve_.rows[k] = solve_.columns[k] = wanted;
    Count block = structure_.block_begin[p];
    for (Count t = tiling_.tile_begin[p]; t < tiling_.tile_begin[p + 1]; ++t) {
      const Index owner = ownership_.owner(p, structure_.block[block].facing);
      if (structure_.block[block].row_offset > 0) hold_columns(k, owner);
      if (owner == ownership_.rank) add_tiles(static_cast<Index>(t));
      while (block < structure_.block_begin[p + 1] &&
             structure_.block[block].row_offset < tiling_.tile[t].row_end) {
        const Index facing = structure_.block[block++].facing;
        if (facing != p) hold_rows(facing - ownership_.shared_begin, owner);
      }
    }
  }

  void add_boundary(const Ownership::Boundary& boundary) {
    const auto& begins = structure_.panel_begin;
    Index k = 0;
    for (Count at = boundary.begin; at < boundary.end; ++at) {
      const Index row = ownership_.boundary_row[at];
      if (at > boundary.begin && row < begins[ownership_.shared_begin + k + 1]) continue;
      k = panel_of(row) - ownership_.shared_begin;
      hold_rows(k, boundary.rank);
    }
  }

  /// Returns the shared panel with this column.
  Index panel_of(Index column) const {
    const auto& begins = structure_.panel_begin;
    const auto after =
        std::upper_bound(begins.begin() + ownership_.shared_begin, begins.end(), column);
    return static_cast<Index>(after - begins.begin()) - 1;
  }

  void add_tiles(Index t) {
    const Tile& tile = tiling_.tile[t];
    const Count width = structure_.width(tile.panel);
    Index begin = tile.row_begin;
    while (begin < tile.row_end) {
      const Index rows = tile.row_end - begin;
      const auto count = std::max<Count>(1, (rows * width + tile_entries_ / 2) / tile_entries_);
      const Index least = begin == 0 ? structure_.width(tile.panel) : 1;
      const Index end = begin + std::max(static_cast<Index>(rows / count), std::min(least, rows));
      const bool first = tile_begin_.back() == static_cast<Index>(solve_.tile.size());
      const Index row_panel = panel_of(structure_.rows(tile.panel)[begin]);
      const RankGrid& grid = ownership_.grid[tile.panel - solve_.first_panel];
      solve_.tile.push_back({t, tile.row_begin, tile.panel, begin, end, first, row_panel,
                             grid.own_row(row_panel - solve_.first_panel),
                             grid.own_column(tile.panel - solve_.first_panel)});
      begin = end;
    }
  }

  void number_segments() {
    for (Index k = 0; k < shared_panels_; ++k) {
      if (solve_.rows[k] != none) solve_.rows[k] = new_segment(k);
    }
    solve_.node_rows = solve_.total_rows;
    for (Index k = 0; k < shared_panels_; ++k) {
      if (solve_.columns[k] == none) continue;
      solve_.columns[k] = owns(k) ? solve_.rows[k] : new_segment(k);
    }
  }

  Index new_segment(Index k) {
    const Index p = ownership_.shared_begin + k;
    solve_.segment.push_back({p, solve_.total_rows});
    solve_.total_rows += structure_.width(p);
    return static_cast<Index>(solve_.segment.size()) - 1;
  }

  void add_forward(Index k) {
    Steps& steps = solve_.forward;
    if (owns(k)) {
      collect(steps, k, other_rows_, Content::forward_rows);
    } else if (solve_.rows[k] != none) {
      steps.push_back({Kind::send, solve_.rows[k], owner(k), tag(k, Content::forward_rows)});
    }
    const auto [begin, end] = tiles(k);
    const Index diagonal_end = owns(k) ? begin + 1 : begin;
    add_tiles_of(steps, k, begin, diagonal_end);
    if (owns(k)) {
      distribute(steps, k, other_columns_, Content::forward_columns);
    } else if (solve_.columns[k] != none) {
      steps.push_back(
          {Kind::receive, solve_.columns[k], owner(k), tag(k, Content::forward_columns)});
    }
    add_tiles_of(steps, k, diagonal_end, end);
  }

  void add_backward(Index k) {
    Steps& steps = solve_.backward;
    const auto [begin, end] = tiles(k);
    const Index diagonal_end = owns(k) ? begin + 1 : begin;
    add_tiles_of(steps, k, diagonal_end, end);
    if (owns(k)) {
      collect(steps, k, other_columns_, Content::backward_columns);
    } else if (solve_.columns[k] != none) {
      steps.push_back({Kind::send, solve_.columns[k], owner(k), tag(k, Content::backward_columns)});
    }
    add_tiles_of(steps, k, begin, diagonal_end);
    if (owns(k)) {
      distribute(steps, k, other_rows_, Content::backward_rows);
    } else if (solve_.rows[k] != none) {
      steps.push_back({Kind::receive, solve_.rows[k], owner(k), tag(k, Content::backward_rows)});
    }
  }

  /// Receives the sums of all other ranks into new segments first, and then adds them.
  void collect(Steps& steps, Index k, const Holders& others, Content content) {
    const auto first = static_cast<Index>(solve_.segment.size());
    for (const Holder& other : others.of(k)) {
      steps.push_back({Kind::receive, new_segment(k), other.rank, tag(k, content)});
    }
    for (Index segment = first; segment < static_cast<Index>(solve_.segment.size()); ++segment) {
      steps.push_back({Kind::add, solve_.rows[k], segment});
    }
  }

  void distribute(Steps& steps, Index k, const Holders& others, Content content) const {
    for (const Holder& other : others.of(k)) {
      steps.push_back({Kind::send, solve_.rows[k], other.rank, tag(k, content)});
    }
  }

  void add_tiles_of(Steps& steps, Index k, Index begin, Index end) const {
    for (Index tile = begin; tile < end; ++tile) {
      steps.push_back({Kind::tile, solve_.columns[k], tile});
    }
  }

  void hold_rows(Index k, Index rank) { hold(k, rank, solve_.rows, other_rows_); }
  void hold_columns(Index k, Index rank) { hold(k, rank, solve_.columns, other_columns_); }
  void hold(Index k, Index rank, std::vector<Index>& own, Holders& others) {
    if (rank == ownership_.rank) {
      own[k] = wanted;
    } else if (owns(k)) {
      others.add(k, rank);
    }
  }

  std::pair<Index, Index> tiles(Index k) const {
    const bool last = k + 1 == shared_panels_;
    return {tile_begin_[k], last ? static_cast<Index>(solve_.tile.size()) : tile_begin_[k + 1]};
  }
  Index owner(Index k) const {
    return ownership_.owner(ownership_.shared_begin + k, ownership_.shared_begin + k);
  }
  bool owns(Index k) const { return owner(k) == ownership_.rank; }
  static Index tag(Index k, Content content) { return contents * k + static_cast<Index>(content); }

  const PanelStructure& structure_;
  const Ownership& ownership_;
  const Tiling& tiling_;
  Count tile_entries_;
  Index shared_panels_;
  SharedSolve solve_;
  std::vector<Index> tile_begin_;  ///< first tile of each shared panel
  Holders other_rows_;
  Holders other_columns_;
};

}  // namespace

SharedSolve build_shared_solve(const PartView& part, const Tiling& tiling, Count tile_entries) {
  return SharedSolveBuilder(part, tiling, tile_entries).build();
}

}  // namespace espalier::internal
