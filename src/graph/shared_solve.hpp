// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/local_structure.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal {

/// The shared panels in the triangular solves on several ranks: what one rank does for them, and
/// what it sends and receives. L y = b forward, Lᵀ x = y backward.
///
/// A rank holds up to two segments of the vectors for shared panel j, each with a row for every
/// column of the panel:
///
///   rows     forward: what the tiles that face panel j and the rank's domain add to b(j);
///            backward: x(j), for the same
///   columns  forward: y(j), for the tiles of panel j;
///            backward: what these add to y(j)
///
/// The owner of the diagonal tile has one segment for both, b(j), then y(j), then x(j), and one for
/// each message that it receives. Forward, the others send it their rows and receive their columns;
/// backward, they send their columns and receive their rows. So a solve takes two messages in each
/// direction, one after the other, from one panel to the next.
struct SharedSolve {
  struct Segment {
    Index panel;
    Index place;  ///< its first row, counted through all segments
  };
  /// Rows [row_begin, row_end) of a panel, counted in the rows of the panel: all or some rows of
  /// one tile of the factor that this rank has. The work of one task in each direction.
  struct Tile {
    Index factor_tile;
    Index factor_row;  ///< where the factor's tile begins
    Index panel;
    Index row_begin;  ///< 0 with the diagonal block
    Index row_end;
    bool first;  ///< it is the rank's first one of the panel
    /// The panel that its first row is a column of; that and its own, counted among the block rows
    /// and columns of this rank.
    Index row_panel;
    Index own_row;
    Index own_column;
  };
  struct Step {
    enum class Kind : std::uint8_t {
      load,     ///< forward: segment := b or 0, and what the domain left for it
      add,      ///< segment += another one
      tile,     ///< the product with a tile; with the diagonal block it solves, too
      send,     ///< segment to a rank
      receive,  ///< segment from a rank
    };
    Kind kind;
    Index segment;     ///< to load, add to, send, receive; for a tile, that of its columns
    Index other = -1;  ///< the segment to add; the tile; the rank
    Index tag = -1;    ///< for a message: the same on both sides, unique between two ranks
  };

  Index first_panel = 0;  ///< the first shared one
  /// The segments of rows come first, by ascending panel.
  std::vector<Segment> segment;
  /// The segment of each shared panel, counted from the first of them; -1 where this rank has none.
  std::vector<Index> rows;
  std::vector<Index> columns;
  Index front_rows = 0;  ///< rows of all segments of rows together
  Index total_rows = 0;  ///< rows of all segments together
  std::vector<Tile> tile;
  /// The steps stand in an order in which those of all ranks can run one after another: the order
  /// of every rank is part of it.
  std::vector<Step> forward;
  std::vector<Step> backward;
};

/// A tile of the factor is cut into tiles of about `tile_entries` entries; a smaller one is one
/// tile. Tags are below four times the shared panels. Cost O(blocks of shared panels + boundary
/// rows).
SharedSolve build_shared_solve(const PartView& part, const Tiling& tiling, Count tile_entries);

}  // namespace espalier::internal
