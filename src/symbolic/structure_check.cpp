// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/structure_check.hpp"

#include <algorithm>

#include "base/scalar.hpp"
#include "symbolic/block_structure.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/supernodes.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

namespace {

/// Checks that own columns come first, and that all rows ascend and are inside the matrix.
void check_rows(const PanelStructure& structure) {
  for (Index s = 0; s < structure.supernodes(); ++s) {
    const Index first = structure.supernode_begin[s];
    const Index width = structure.supernode_begin[s + 1] - first;
    const Count begin = structure.row_begin[s];
    const Count height = structure.row_begin[s + 1] - begin;
    expect(height >= width, "supernode ", s, " has ", width, " columns, but ", height, " rows");
    Index previous = -1;
    for (Count k = 0; k < height; ++k) {
      const Index row = structure.row[begin + k];
      expect(k >= width || row == first + k, "row ", k, " of supernode ", s, " is ", row,
             ", not its column ", first + k);
      expect(row > previous, "row ", k, " of supernode ", s, " is ", row, ", after row ", previous);
      expect(row < structure.n, "row ", k, " of supernode ", s, " is ", row, ", outside of ",
             structure.n, " rows");
      previous = row;
    }
  }
}

void check_panel_columns(const PanelStructure& structure) {
  for (Index p = 0; p < structure.panels(); ++p) {
    const Index s = structure.panel_supernode[p];
    const bool inside = s >= 0 && s < structure.supernodes() &&
                        structure.panel_begin[p] >= structure.supernode_begin[s] &&
                        structure.panel_begin[p + 1] <= structure.supernode_begin[s + 1];
    expect(inside, "panel ", p, " of columns ", structure.panel_begin[p], " to ",
           structure.panel_begin[p + 1], " is not part of supernode ", s);
  }
}

/// Checks that the diagonal block comes first, that facing panels ascend, and that each block has
/// exactly the rows that face its panel.
void check_blocks(const PanelStructure& structure) {
  for (Index p = 0; p < structure.panels(); ++p) {
    const auto rows = structure.rows(p);
    const auto blocks = structure.blocks(p);
    expect(blocks[0].facing == p && blocks[0].row_offset == 0, "the first block of panel ", p,
           " starts at row ", blocks[0].row_offset, " and faces panel ", blocks[0].facing);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Index facing = blocks[b].facing;
      const Index begin = blocks[b].row_offset;
      const Index end = structure.block_end(p, structure.block_begin[p] + static_cast<Count>(b));
      expect(facing < structure.panels() && (b == 0 || facing > blocks[b - 1].facing), "block ", b,
             " of panel ", p, " faces panel ", facing);
      expect(begin >= 0 && begin < end && end <= structure.height(p), "block ", b, " of panel ", p,
             " holds the rows from ", begin, " to ", end, " of ", structure.height(p));
      for (Index k = begin; k < end; ++k) {
        const bool faces =
            rows[k] >= structure.panel_begin[facing] && rows[k] < structure.panel_begin[facing + 1];
        expect(faces, "row ", rows[k], " in block ", b, " of panel ", p, " does not face panel ",
               facing);
      }
    }
  }
}

/// Checks the lists of facing blocks. Each element must be an off-diagonal block that faces the
/// panel. The caller checks that there are as many elements as off-diagonal blocks.
void check_facing_lists(const PanelStructure& structure) {
  for (Index i = 0; i < structure.panels(); ++i) {
    for (Count k = structure.facing_begin[i]; k < structure.facing_begin[i + 1]; ++k) {
      const Index source = structure.facing_source[k];
      const Count b = structure.facing_block[k];
      expect(source >= 0 && source < i, "panel ", source, " is listed as facing panel ", i);
      expect(k == structure.facing_begin[i] || source > structure.facing_source[k - 1], "panel ",
             source, " is out of order among the panels that face panel ", i);
      expect(b > structure.block_begin[source] && b < structure.block_begin[source + 1], "block ",
             b, ", listed as facing panel ", i, ", is not an off-diagonal block of panel ", source);
      expect(structure.block[b].facing == i, "block ", b, " is listed as facing panel ", i,
             ", but faces panel ", structure.block[b].facing);
    }
  }
}

}  // namespace

void check_supernodes(const PanelStructure& structure, std::size_t supernodes) {
  const auto rows = static_cast<Count>(structure.row.size());
  check_offsets("supernode_begin", structure.supernode_begin, supernodes, structure.n, 1);
  check_offsets("row_begin", structure.row_begin, supernodes, rows, 1);
  check_rows(structure);
}

void check_tree(const PanelStructure& structure, std::span<const Index> parents) {
  const std::vector<Index> supernode = supernode_of_column(structure.supernode_begin);
  for (Index s = 0; s < structure.supernodes(); ++s) {
    const Index parent = parents[s];
    const auto below = structure.row.begin() + structure.row_begin[s] +
                       (structure.supernode_begin[s + 1] - structure.supernode_begin[s]);
    const auto end = structure.row.begin() + structure.row_begin[s + 1];
    const Index faced = below == end ? -1 : supernode[*below];
    expect(parent == faced, "supernode ", s, " has parent ", parent,
           ", but its first row below faces ", faced);
    if (parent == -1) continue;
    const auto parent_begin = structure.row.begin() + structure.row_begin[parent];
    const auto parent_end = structure.row.begin() + structure.row_begin[parent + 1];
    const auto lost = std::find_if_not(
        below, end, [&](Index row) { return std::binary_search(parent_begin, parent_end, row); });
    expect(lost == end, "row ", lost == end ? -1 : *lost, " of supernode ", s,
           " is not a row of its parent ", parent);
  }
}

void check_panels(const PanelStructure& structure) {
  const std::size_t panels = structure.panel_supernode.size();
  const auto blocks = static_cast<Count>(structure.block.size());
  check_offsets("panel_begin", structure.panel_begin, panels, structure.n, 1);
  check_panel_columns(structure);
  check_offsets("block_begin", structure.block_begin, panels, blocks, 1);
  check_blocks(structure);
  const Count faced = blocks - static_cast<Count>(panels);
  check_offsets("facing_begin", structure.facing_begin, panels, faced, 0);
  expect(structure.facing_block.size() == static_cast<std::size_t>(faced) &&
             structure.facing_source.size() == static_cast<std::size_t>(faced),
         "facing_block and facing_source have ", structure.facing_block.size(), " and ",
         structure.facing_source.size(), " entries, not ", faced, " each");
  check_facing_lists(structure);
}

namespace {

void check_permutation(const SymbolicFactor& factor) {
  const auto& [new_of, old_of] = factor.permutation;
  const auto n = static_cast<std::size_t>(factor.n);
  expect(new_of.size() == n && old_of.size() == n, "the permutation has ", new_of.size(), " and ",
         old_of.size(), " numbers, not ", n, " twice");
  for (Index v = 0; v < factor.n; ++v) {
    const bool inside = new_of[v] >= 0 && new_of[v] < factor.n;
    expect(inside && old_of[new_of[v]] == v, "the permutation maps ", v, " to ", new_of[v],
           ", but not back");
  }
}

void check_postorder(const SymbolicFactor& factor) {
  const Permutation order = postorder(factor.supernode_parent);
  for (Index s = 0; s < factor.supernodes(); ++s) {
    expect(order.new_of[s] == s, "supernode ", s, " is not in postorder");
  }
}

void check_pairs(const SymbolicFactor& factor) {
  if (factor.partner.empty()) return;
  expect(factor.partner.size() == static_cast<std::size_t>(factor.n), "there are partners of ",
         factor.partner.size(), " columns, not of ", factor.n);
  const std::vector<Index> panel = supernode_of_column(factor.panel_begin);
  for (Index j = 0; j < factor.n; ++j) {
    const Index i = factor.partner[j];
    const bool adjacent = i >= 0 && i < factor.n && i >= j - 1 && i <= j + 1;
    expect(adjacent && factor.partner[i] == j, "column ", j, " has partner ", i);
    expect(panel[i] == panel[j], "the columns ", j, " and ", i, " of a pair are in the panels ",
           panel[j], " and ", panel[i]);
  }
}

void check_values(const SymbolicFactor& factor) {
  const Count end = factor.value_begin.empty() ? 0 : factor.value_begin.back();
  check_offsets("value_begin", factor.value_begin, factor.panel_supernode.size(), end, 1);
  constexpr Index line = scalar.entries_of_line();
  for (Index p = 0; p < factor.panels(); ++p) {
    const Count entries = static_cast<Count>(factor.width(p)) * factor.height(p);
    const Count space = factor.value_begin[p + 1] - factor.value_begin[p];
    expect(factor.value_begin[p] % line == 0, "the values of panel ", p, " begin at ",
           factor.value_begin[p], ", not at a multiple of ", line);
    expect(space >= entries && space < entries + line, "panel ", p, " has space for ", space,
           " values, but ", entries, " entries");
  }
  const OrderingCost cost = stored_cost(factor);
  expect(factor.nnz_l == static_cast<Count>(cost.entries), "nnz_l is ", factor.nnz_l,
         ", but the supernodes hold ", static_cast<Count>(cost.entries), " entries");
  expect(factor.flops == cost.flops, "flops is ", factor.flops, ", but the supernodes take ",
         cost.flops);
}

}  // namespace

void check(const SymbolicFactor& factor) {
  check_permutation(factor);
  check_supernodes(factor, factor.supernode_parent.size());
  check_tree(factor, factor.supernode_parent);
  check_postorder(factor);
  check_panels(factor);
  check_pairs(factor);
  check_values(factor);
}

}  // namespace espalier::internal
