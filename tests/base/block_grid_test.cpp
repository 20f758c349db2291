// SPDX-License-Identifier: BSD-3-Clause
#include "base/block_grid.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace espalier::internal {
namespace {

TEST(BlockGrid, IsTheMostSquareOneWithAllCells) {
  const auto expect = [](Index cells, Index rows, Index columns) {
    const BlockGrid grid = most_square_grid(cells);
    EXPECT_EQ(grid.rows, rows) << cells;
    EXPECT_EQ(grid.columns, columns) << cells;
  };
  expect(1, 1, 1);
  expect(2, 1, 2);
  expect(4, 2, 2);
  expect(6, 2, 3);
  expect(7, 1, 7);
  expect(12, 3, 4);
  expect(16, 4, 4);
  for (Index cells = 1; cells < 200; ++cells) {
    EXPECT_EQ(most_square_grid(cells).size(), cells);
  }
}

TEST(OwnerOfBlock, MeetsOneRowOfTheGridABlockRowAndOneColumnABlockColumn) {
  for (const BlockGrid grid : {BlockGrid{2, 2}, BlockGrid{2, 3}, BlockGrid{3, 4}}) {
    const Index period = grid.size();
    for (Index fixed = 0; fixed < 3 * period; ++fixed) {
      std::set<Index> in_row;
      std::set<Index> in_column;
      for (Index other = 0; other < period; ++other) {
        in_row.insert(owner_of_block(grid, fixed, other));
        in_column.insert(owner_of_block(grid, other, fixed));
      }
      EXPECT_EQ(std::ssize(in_row), grid.columns);
      EXPECT_EQ(std::ssize(in_column), grid.rows);
    }
  }
}

TEST(OwnerOfBlock, GivesEveryCellTheSameShareOfBlocksAndOfDiagonalBlocks) {
  for (const Index cells : {1, 2, 4, 6, 9, 12}) {
    const BlockGrid grid = most_square_grid(cells);
    std::vector<int> blocks(cells, 0);
    std::vector<int> diagonal(cells, 0);
    for (Index row = 0; row < cells; ++row) {
      ++diagonal.at(owner_of_block(grid, row, row));
      for (Index column = 0; column < cells; ++column) {
        ++blocks.at(owner_of_block(grid, row, column));
      }
    }
    EXPECT_EQ(blocks, std::vector<int>(cells, cells));
    EXPECT_EQ(diagonal, std::vector<int>(cells, 1));
  }
}

}  // namespace
}  // namespace espalier::internal
