// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Grid of workers or ranks, which are numbered down its columns.
struct BlockGrid {
  Index rows = 1;
  Index columns = 1;
  Index size() const { return rows * columns; }
};

/// Block row and block column.
struct BlockPlace {
  Index row;
  Index column;
};

/// Returns the grid of exactly `cells` cells that is closest to a square, with at least as many
/// columns as rows.
inline BlockGrid most_square_grid(Index cells) {
  BlockGrid grid{1, cells};
  for (Index rows = 2; rows * rows <= cells; ++rows) {
    if (cells % rows == 0) grid = {rows, cells / rows};
  }
  return grid;
}

/// Returns the cell of block B(row, column) in the 2D block-cyclic map. Each grid column gets runs
/// of `rows` consecutive block columns. If it got them one by one, the diagonal blocks would reach
/// only lcm(rows, columns) of the cells.
inline Index owner_of_block(const BlockGrid& grid, Index row, Index column) {
  return row % grid.rows + grid.rows * (column / grid.rows % grid.columns);
}

}  // namespace espalier::internal
