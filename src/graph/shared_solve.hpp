// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/local_structure.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal {

/// The work and messages of one rank for the shared panels in the triangular solves, L y = b
/// forward and Lᵀ x = y backward.
///
/// A rank holds up to two segments of the vectors for shared panel j, each with one row per column
/// of the panel:
///
///   rows     forward: the sum that the rank's tiles facing panel j and its domain add to b(j);
///            backward: x(j), for the same tiles and the domain
///   columns  forward: y(j), for the rank's tiles of panel j;
///            backward: the sum that these tiles add to y(j)
///
/// The owner of the diagonal tile has one segment for both. This segment holds b(j), then y(j),
/// then x(j). The owner has another segment for each message that it receives. In the forward
/// solve, the other ranks send their rows to the owner and receive their columns from it. In the
/// backward solve, they send their columns and receive their rows. So each direction of a solve has
/// two consecutive messages on the path from one panel to the next.
struct SharedSolve {
  struct Segment {
    Index panel;
    Index place;  ///< its first row in the concatenation of all segments
  };
  /// Rows [row_begin, row_end) of a panel, numbered within the panel: all or some rows of one tile
  /// of the factor of this rank. One task works on it in each direction.
  struct Tile {
    Index factor_tile;
    Index factor_row;  ///< first row of the factor's tile
    Index panel;
    Index row_begin;  ///< 0 if it has the diagonal block
    Index row_end;
    bool first;  ///< it is this rank's first tile of the panel
    /// `row_panel` is the panel whose columns include the first row. `own_row` is the position of
    /// `row_panel` among the block rows of this rank. `own_column` is the position of `panel` among
    /// the block columns of this rank.
    Index row_panel;
    Index own_row;
    Index own_column;
  };
  struct Step {
    enum class Kind : std::uint8_t {
      load,     ///< forward: segment := b or 0, plus the domain's sum for it
      add,      ///< segment += another segment
      tile,     ///< product with a tile; solves with the diagonal block if it has one
      send,     ///< segment to a rank
      receive,  ///< segment from a rank
    };
    Kind kind;
    /// Segment to load, add to, send or receive; for a tile, the segment of its columns.
    Index segment;
    Index other = -1;  ///< the segment to add, the tile, or the rank
    Index tag = -1;    ///< for a message: equal on both ranks, unique between them
  };

  Index first_panel = 0;  ///< first shared panel
  /// Segments of rows come first, by ascending panel.
  std::vector<Segment> segment;
  /// Segment of each shared panel, counted from first_panel; -1 if this rank has none.
  std::vector<Index> rows;
  std::vector<Index> columns;
  Index node_rows = 0;   ///< number of rows of the segments in `rows`
  Index total_rows = 0;  ///< number of rows of all segments
  std::vector<Tile> tile;
  /// Steps in the order in which they run. All ranks follow one common order, in which the steps of
  /// all of them could run one after another.
  std::vector<Step> forward;
  std::vector<Step> backward;
};

/// Returns the shared solve of one rank. Cuts a tile of the factor into tiles of about
/// `tile_entries` entries; a smaller tile stays whole. Tags are below four times the number of
/// shared panels. Cost O(blocks of shared panels + boundary rows).
SharedSolve build_shared_solve(const PartView& part, const Tiling& tiling, Count tile_entries);

}  // namespace espalier::internal
