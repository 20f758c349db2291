// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>

#include "graph/task_graph.hpp"

namespace espalier::internal {

/// Finds the tiles that the updates by a panel write. The structure and the tiling must outlive the
/// object.
class UpdateParts {
 public:
  using Range = Task::Range;

  UpdateParts(const PanelStructure& structure, const Tiling& tiling)
      : structure_(structure), tiling_(tiling) {}

  Index first_tile(Index panel) const { return static_cast<Index>(tiling_.tile_begin[panel]); }
  bool is_one_tile(Index panel) const { return first_tile(panel) + 1 == first_tile(panel + 1); }
  const Tile& tile(Index t) const { return tiling_.tile[t]; }

  /// Calls f(t, rows) for every tile t of panel k. `rows` are the rows of panel j, from `columns`
  /// on, that are in tile t. Skips tiles without such rows. Panel k has all of these rows. Cost
  /// O(tiles of k), plus a binary search for each call of f.
  template <class F>
  void for_each_part(Index j, Range columns, Index k, F f) const {
    if (is_one_tile(k)) {
      return f(first_tile(k), Range{columns.begin, structure_.height(j)});
    }
    const std::span<const Index> rows = structure_.rows(j);
    const std::span<const Index> own = structure_.rows(k);
    auto begin = rows.begin() + columns.begin;
    for (Index t = first_tile(k); t < first_tile(k + 1) && begin != rows.end(); ++t) {
      const Index last = own[tile(t).row_end - 1];
      if (*begin > last) continue;
      const auto end = std::upper_bound(begin, rows.end(), last);
      f(t, Range{static_cast<Index>(begin - rows.begin()), static_cast<Index>(end - rows.begin())});
      begin = end;
    }
  }

  /// Calls f(task, block) for all updates by panel j. `block` is the block with their columns.
  template <class F>
  void for_each_update(Index j, F f) const {
    for (Count b = structure_.block_begin[j] + 1; b < structure_.block_begin[j + 1]; ++b) {
      const Range columns{structure_.block[b].row_offset, structure_.block_end(j, b)};
      const Index right = source_tile(j, columns.begin);
      for_each_part(j, columns, structure_.block[b].facing, [&](Index t, Range part) {
        for (Index left = right; left < first_tile(j + 1); ++left) {
          const Range rows{std::max(part.begin, tile(left).row_begin),
                           std::min(part.end, tile(left).row_end)};
          if (rows.size() <= 0) continue;
          f(Task{.kind = TaskKind::update,
                 .target = t,
                 .left = left,
                 .right = right,
                 .rows = rows,
                 .columns = columns},
            b);
        }
      });
    }
  }

  /// Returns the tile of panel j that contains `row`, a row numbered within the panel.
  Index source_tile(Index j, Index row) const {
    Index t = first_tile(j);
    while (tile(t).row_end <= row) ++t;
    return t;
  }

 private:
  const PanelStructure& structure_;
  const Tiling& tiling_;
};

}  // namespace espalier::internal
