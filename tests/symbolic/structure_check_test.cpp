// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "symbolic/block_structure.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {
namespace {

/// Supernodes {0, 1} and {2} under {3, 4, 5, 6}, which is split into panels of 2 columns. Column 7
/// is a separate tree.
///
///   panel 0: rows 0 1 | 3 4 6      panel 2: rows 3 4 | 5 6
///   panel 1: rows 2 | 4 5          panel 3: rows 5 6           panel 4: row 7
SymbolicFactor good_factor() {
  SymbolicFactor factor;
  factor.n = 8;
  factor.permutation = Permutation::from_old_of({7, 6, 5, 4, 3, 2, 1, 0});
  factor.supernode_begin = {0, 2, 3, 7, 8};
  factor.supernode_parent = {2, 2, -1, -1};
  factor.row_begin = {0, 5, 8, 12, 13};
  factor.row = {0, 1, 3, 4, 6, 2, 4, 5, 3, 4, 5, 6, 7};
  factor.panel_begin = {0, 2, 3, 5, 7, 8};
  factor.panel_supernode = {0, 1, 2, 2, 3};
  add_blocks(factor);
  factor.nnz_l = 5 + 4 + 3 + 4 + 3 + 2 + 1 + 1;
  factor.flops = 25 + 16 + 9 + 16 + 9 + 4 + 1 + 1;
  return factor;
}

/// Returns the complaint of check() after damage to the good factor, or an empty text.
std::string complaint_about(const std::function<void(SymbolicFactor&)>& damage) {
  SymbolicFactor factor = good_factor();
  damage(factor);
  try {
    check(factor);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

void expect_complaint(const std::string& words,
                      const std::function<void(SymbolicFactor&)>& damage) {
  EXPECT_THAT(complaint_about(damage), testing::HasSubstr(words));
}

TEST(CheckSymbolicFactor, AcceptsAGoodOne) {
  EXPECT_EQ(complaint_about([](SymbolicFactor&) {}), "");
  EXPECT_NO_THROW(check(SymbolicFactor{}));
}

TEST(CheckSymbolicFactor, Permutation) {
  expect_complaint("the permutation has 7 and 8 numbers",
                   [](auto& f) { f.permutation.new_of.pop_back(); });
  expect_complaint("the permutation maps 3 to 8", [](auto& f) { f.permutation.new_of[3] = 8; });
  expect_complaint("the permutation maps 3 to -1", [](auto& f) { f.permutation.new_of[3] = -1; });
  expect_complaint("the permutation maps 3 to 0", [](auto& f) { f.permutation.new_of[3] = 0; });
}

TEST(CheckSymbolicFactor, Supernodes) {
  expect_complaint("supernode_begin has 4 offsets, not 5",
                   [](auto& f) { f.supernode_begin.pop_back(); });
  expect_complaint("supernode_begin has 0 offsets", [](auto& f) { f.supernode_begin.clear(); });
  expect_complaint("supernode_begin starts at 1", [](auto& f) { f.supernode_begin[0] = 1; });
  expect_complaint("supernode_begin goes from 2 to 2", [](auto& f) { f.supernode_begin[2] = 2; });
  expect_complaint("supernode_begin ends at 9", [](auto& f) { f.supernode_begin[4] = 9; });
}

TEST(CheckSymbolicFactor, Rows) {
  expect_complaint("row_begin ends at 14", [](auto& f) { f.row_begin[4] = 14; });
  expect_complaint("supernode 0 has 2 columns, but 1 rows", [](auto& f) { f.row_begin[1] = 1; });
  expect_complaint("row 1 of supernode 0 is 3, not its column 1", [](auto& f) { f.row[1] = 3; });
  expect_complaint("row 3 of supernode 0 is 3, after row 3", [](auto& f) { f.row[3] = 3; });
  expect_complaint("row 4 of supernode 0 is 8, outside of 8 rows", [](auto& f) { f.row[4] = 8; });
}

TEST(CheckSymbolicFactor, Tree) {
  expect_complaint("supernode 0 has parent 1, but its first row below faces 2",
                   [](auto& f) { f.supernode_parent[0] = 1; });
  expect_complaint("supernode 2 has parent 3, but its first row below faces -1",
                   [](auto& f) { f.supernode_parent[2] = 3; });
  expect_complaint("row 7 of supernode 0 is not a row of its parent 2",
                   [](auto& f) { f.row[4] = 7; });
}

TEST(CheckSymbolicFactor, Postorder) {
  SymbolicFactor factor;
  factor.n = 3;
  factor.permutation = Permutation::identity(3);
  factor.supernode_begin = {0, 1, 2, 3};
  factor.supernode_parent = {2, -1, -1};
  factor.row_begin = {0, 2, 3, 4};
  factor.row = {0, 2, 1, 2};
  try {
    check(factor);
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "supernode 0 is not in postorder");
  }
}

TEST(CheckSymbolicFactor, Panels) {
  expect_complaint("panel_begin goes from 3 to 3", [](auto& f) { f.panel_begin[3] = 3; });
  expect_complaint("panel 0 of columns 0 to 2 is not part of supernode 1",
                   [](auto& f) { f.panel_supernode[0] = 1; });
  expect_complaint("panel 0 of columns 0 to 2 is not part of supernode 4",
                   [](auto& f) { f.panel_supernode[0] = 4; });
  expect_complaint("panel 1 of columns 2 to 4 is not part of supernode 1",
                   [](auto& f) { f.panel_begin[2] = 4; });
}

TEST(CheckSymbolicFactor, Blocks) {
  expect_complaint("block_begin goes from 3 to 3", [](auto& f) { f.block_begin[2] = 3; });
  expect_complaint("the first block of panel 0 starts at row 0 and faces panel 1",
                   [](auto& f) { f.block[0].facing = 1; });
  expect_complaint("the first block of panel 0 starts at row 1",
                   [](auto& f) { f.block[0].row_offset = 1; });
  expect_complaint("block 2 of panel 0 faces panel 2", [](auto& f) { f.block[2].facing = 2; });
  expect_complaint("block 2 of panel 0 faces panel 5", [](auto& f) { f.block[2].facing = 5; });
  expect_complaint("block 0 of panel 0 holds the rows from 0 to 0 of 5",
                   [](auto& f) { f.block[1].row_offset = 0; });
  expect_complaint("block 1 of panel 0 holds the rows from 2 to 6 of 5",
                   [](auto& f) { f.block[2].row_offset = 6; });
  expect_complaint("row 4 in block 2 of panel 0 does not face panel 3",
                   [](auto& f) { f.block[2].row_offset = 3; });
  expect_complaint("row 3 in block 1 of panel 0 does not face panel 1",
                   [](auto& f) { f.block[1].facing = 1; });
}

TEST(CheckSymbolicFactor, FacingLists) {
  expect_complaint("facing_begin has 5 offsets, not 6", [](auto& f) { f.facing_begin.pop_back(); });
  expect_complaint("facing_block and facing_source have 5 and 4 entries, not 5 each",
                   [](auto& f) { f.facing_source.pop_back(); });
  expect_complaint("panel 4 is listed as facing panel 2", [](auto& f) { f.facing_source[0] = 4; });
  expect_complaint("panel 0 is out of order among the panels that face panel 3", [](auto& f) {
    std::swap(f.facing_source[2], f.facing_source[3]);
    std::swap(f.facing_block[2], f.facing_block[3]);
  });
  expect_complaint("block 3, listed as facing panel 2, is not an off-diagonal block of panel 0",
                   [](auto& f) { f.facing_block[0] = 3; });
  expect_complaint("block 2 is listed as facing panel 2, but faces panel 3",
                   [](auto& f) { f.facing_block[0] = 2; });
}

TEST(CheckSymbolicFactor, Pairs) {
  EXPECT_EQ(complaint_about([](auto& f) { f.partner = {1, 0, 2, 3, 4, 6, 5, 7}; }), "");
  expect_complaint("there are partners of 2 columns, not of 8", [](auto& f) {
    f.partner = {1, 0};
  });
  expect_complaint("column 0 has partner 1", [](auto& f) { f.partner = {1, 1, 2, 3, 4, 5, 6, 7}; });
  expect_complaint("column 0 has partner 2", [](auto& f) { f.partner = {2, 1, 0, 3, 4, 5, 6, 7}; });
  expect_complaint("column 7 has partner 8", [](auto& f) { f.partner = {0, 1, 2, 3, 4, 5, 6, 8}; });
  expect_complaint("the columns 4 and 5 of a pair are in the panels 2 and 3",
                   [](auto& f) { f.partner = {0, 1, 2, 3, 5, 4, 6, 7}; });
}

TEST(CheckSymbolicFactor, Values) {
  expect_complaint("value_begin has 5 offsets, not 6", [](auto& f) { f.value_begin.pop_back(); });
  expect_complaint("value_begin has 0 offsets, not 6", [](auto& f) { f.value_begin.clear(); });
  expect_complaint("the values of panel 1 begin at 12", [](auto& f) { f.value_begin[1] = 12; });
  expect_complaint("panel 0 has space for 8 values, but 10 entries",
                   [](auto& f) { f.value_begin[1] = 8; });
  expect_complaint("panel 4 has space for 16 values, but 1 entries",
                   [](auto& f) { f.value_begin[5] += 8; });
}

TEST(CheckSymbolicFactor, Totals) {
  expect_complaint("nnz_l is 22, but the supernodes hold 23 entries",
                   [](auto& f) { f.nnz_l = 22; });
  expect_complaint("flops is 80, but the supernodes take 81", [](auto& f) { f.flops = 80; });
}

}  // namespace
}  // namespace espalier::internal
