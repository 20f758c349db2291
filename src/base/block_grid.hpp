// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Workers or ranks as the cells of a grid, numbered down its columns.
struct BlockGrid {
  Index rows = 1;
  Index columns = 1;
  Index size() const { return rows * columns; }
};

/// Returns the most square one of all grids with exactly so many cells, at least as wide as it is
/// tall.
inline BlockGrid most_square_grid(Index cells) {
  BlockGrid grid{1, cells};
  for (Index rows = 2; rows * rows <= cells; ++rows) {
    if (cells % rows == 0) grid = {rows, cells / rows};
  }
  return grid;
}

/// The 2D block-cyclic map of block B(row, column) to a cell. Columns are dealt in runs of as many
/// as the grid has rows: were they dealt one by one, the diagonal blocks would meet only
/// lcm(rows, columns) of the cells.
inline Index owner_of_block(const BlockGrid& grid, Index row, Index column) {
  return row % grid.rows + grid.rows * (column / grid.rows % grid.columns);
}

}  // namespace espalier::internal
