// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "symbolic/block_structure.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/supernodes.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier {
namespace {

/// Throws unless the condition holds; the message is made of the parts.
template <typename... Parts>
void expect(bool condition, const Parts&... parts) {
  if (condition) return;
  std::ostringstream message;
  (message << ... << parts);
  throw std::logic_error(message.str());
}

/// Offsets: `parts` ranges that tile [0, end), none shorter than `least`.
template <typename Offset>
void check_offsets(const std::string& name, const std::vector<Offset>& begin, std::size_t parts,
                   Count end, Count least) {
  expect(begin.size() == parts + 1, name, " has ", begin.size(), " offsets, not ", parts + 1);
  expect(begin.front() == 0, name, " starts at ", begin.front(), ", not at 0");
  for (std::size_t i = 0; i < parts; ++i) {
    expect(begin[i + 1] - begin[i] >= least, name, " goes from ", begin[i], " to ", begin[i + 1],
           " at ", i);
  }
  expect(begin.back() == end, name, " ends at ", begin.back(), ", not at ", end);
}

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

/// Own columns first, all ascending, none outside.
void check_rows(const SymbolicFactor& factor) {
  for (Index s = 0; s < factor.supernodes(); ++s) {
    const Index first = factor.supernode_begin[s];
    const Index width = factor.supernode_begin[s + 1] - first;
    const Count begin = factor.row_begin[s];
    const Count height = factor.row_begin[s + 1] - begin;
    expect(height >= width, "supernode ", s, " has ", width, " columns, but ", height, " rows");
    Index previous = -1;
    for (Count k = 0; k < height; ++k) {
      const Index row = factor.row[begin + k];
      expect(k >= width || row == first + k, "row ", k, " of supernode ", s, " is ", row,
             ", not its column ", first + k);
      expect(row > previous, "row ", k, " of supernode ", s, " is ", row, ", after row ", previous);
      expect(row < factor.n, "row ", k, " of supernode ", s, " is ", row, ", outside of ", factor.n,
             " rows");
      previous = row;
    }
  }
}

/// A parent is what the first row below faces, and holds all rows below.
void check_tree(const SymbolicFactor& factor) {
  const std::vector<Index> supernode = supernode_of_column(factor.supernode_begin);
  for (Index s = 0; s < factor.supernodes(); ++s) {
    const Index parent = factor.supernode_parent[s];
    const auto below = factor.row.begin() + factor.row_begin[s] +
                       (factor.supernode_begin[s + 1] - factor.supernode_begin[s]);
    const auto end = factor.row.begin() + factor.row_begin[s + 1];
    const Index faced = below == end ? -1 : supernode[*below];
    expect(parent == faced, "supernode ", s, " has parent ", parent,
           ", but its first row below faces ", faced);
    if (parent == -1) continue;
    const auto parent_begin = factor.row.begin() + factor.row_begin[parent];
    const auto parent_end = factor.row.begin() + factor.row_begin[parent + 1];
    const auto lost = std::find_if_not(
        below, end, [&](Index row) { return std::binary_search(parent_begin, parent_end, row); });
    expect(lost == end, "row ", lost == end ? -1 : *lost, " of supernode ", s,
           " is no row of its parent ", parent);
  }
  const Permutation order = postorder(factor.supernode_parent);
  for (Index s = 0; s < factor.supernodes(); ++s) {
    expect(order.new_of[s] == s, "supernode ", s, " is not in postorder");
  }
}

void check_panels(const SymbolicFactor& factor) {
  for (Index p = 0; p < factor.panels(); ++p) {
    const Index s = factor.panel_supernode[p];
    const bool inside = s >= 0 && s < factor.supernodes() &&
                        factor.panel_begin[p] >= factor.supernode_begin[s] &&
                        factor.panel_begin[p + 1] <= factor.supernode_begin[s + 1];
    expect(inside, "panel ", p, " of columns ", factor.panel_begin[p], " to ",
           factor.panel_begin[p + 1], " is no part of supernode ", s);
  }
}

/// The diagonal block first, then facing panels ascending, with exactly the rows that face them.
void check_blocks(const SymbolicFactor& factor) {
  for (Index p = 0; p < factor.panels(); ++p) {
    const auto rows = factor.rows(p);
    const auto blocks = factor.blocks(p);
    expect(blocks[0].facing == p && blocks[0].row_offset == 0, "the first block of panel ", p,
           " starts at row ", blocks[0].row_offset, " and faces panel ", blocks[0].facing);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Index facing = blocks[b].facing;
      const Index begin = blocks[b].row_offset;
      const Index end = factor.block_end(p, factor.block_begin[p] + static_cast<Count>(b));
      expect(facing < factor.panels() && (b == 0 || facing > blocks[b - 1].facing), "block ", b,
             " of panel ", p, " faces panel ", facing);
      expect(begin >= 0 && begin < end && end <= factor.height(p), "block ", b, " of panel ", p,
             " holds the rows from ", begin, " to ", end, " of ", factor.height(p));
      for (Index k = begin; k < end; ++k) {
        const bool faces =
            rows[k] >= factor.panel_begin[facing] && rows[k] < factor.panel_begin[facing + 1];
        expect(faces, "row ", rows[k], " in block ", b, " of panel ", p, " does not face panel ",
               facing);
      }
    }
  }
}

/// As many entries as off-diagonal blocks, each an entry of the list of the panel that it faces.
void check_facing_lists(const SymbolicFactor& factor) {
  for (Index i = 0; i < factor.panels(); ++i) {
    for (Count k = factor.facing_begin[i]; k < factor.facing_begin[i + 1]; ++k) {
      const Index source = factor.facing_source[k];
      const Count b = factor.facing_block[k];
      expect(source >= 0 && source < i, "panel ", source, " is listed as facing panel ", i);
      expect(k == factor.facing_begin[i] || source > factor.facing_source[k - 1], "panel ", source,
             " is out of order among those that face panel ", i);
      expect(b > factor.block_begin[source] && b < factor.block_begin[source + 1], "block ", b,
             ", listed as facing panel ", i, ", is no off-diagonal block of panel ", source);
      expect(factor.block[b].facing == i, "block ", b, " is listed as facing panel ", i,
             ", but faces panel ", factor.block[b].facing);
    }
  }
}

void check_values(const SymbolicFactor& factor) {
  const Count end = factor.value_begin.empty() ? 0 : factor.value_begin.back();
  check_offsets("value_begin", factor.value_begin, factor.panel_supernode.size(), end, 1);
  for (Index p = 0; p < factor.panels(); ++p) {
    const Count entries = static_cast<Count>(factor.width(p)) * factor.height(p);
    const Count room = factor.value_begin[p + 1] - factor.value_begin[p];
    expect(factor.value_begin[p] % 8 == 0, "the values of panel ", p, " begin at ",
           factor.value_begin[p], ", not at a multiple of 8");
    expect(room >= entries && room < entries + 8, "panel ", p, " has room for ", room,
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
  const std::size_t supernodes = factor.supernode_parent.size();
  const std::size_t panels = factor.panel_supernode.size();
  const auto rows = static_cast<Count>(factor.row.size());
  const auto blocks = static_cast<Count>(factor.block.size());
  check_permutation(factor);
  check_offsets("supernode_begin", factor.supernode_begin, supernodes, factor.n, 1);
  check_offsets("row_begin", factor.row_begin, supernodes, rows, 1);
  check_rows(factor);
  check_tree(factor);
  check_offsets("panel_begin", factor.panel_begin, panels, factor.n, 1);
  check_panels(factor);
  check_offsets("block_begin", factor.block_begin, panels, blocks, 1);
  check_blocks(factor);
  const Count faced = blocks - static_cast<Count>(panels);
  check_offsets("facing_begin", factor.facing_begin, panels, faced, 0);
  expect(factor.facing_block.size() == static_cast<std::size_t>(faced) &&
             factor.facing_source.size() == static_cast<std::size_t>(faced),
         "facing_block and facing_source have ", factor.facing_block.size(), " and ",
         factor.facing_source.size(), " entries, not ", faced, " each");
  check_facing_lists(factor);
  check_values(factor);
}

}  // namespace espalier
