// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/block_structure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/scalar.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier::internal {

std::vector<Index> widest_panels(const PanelStructure& structure, double most_flops,
                                 Index panel_width, Index narrow_width, double most_entries) {
  constexpr Index line = scalar.entries_of_line();
  std::vector<Index> widest;
  widest.reserve(structure.supernode_begin.size());
  for (std::size_t s = 0; s + 1 < structure.supernode_begin.size(); ++s) {
    const auto height = static_cast<double>(structure.row_begin[s + 1] - structure.row_begin[s]);
    const double limit = std::min(
        {std::sqrt(most_flops / height), most_entries / height, static_cast<double>(panel_width)});
    const Index width = static_cast<Index>(limit) / line * line;
    widest.push_back(std::min(panel_width, std::max(narrow_width, width)));
  }
  return widest;
}

namespace {

/// Returns the cut before this column, or the one before the previous column if the two are a pair.
Index before_pair(Index column, std::span<const Index> partner) {
  const bool inside = column < std::ssize(partner) && partner[column] == column - 1;
  return inside ? column - 1 : column;
}

}  // namespace

Panels split(std::span<const Index> supernode_begin, std::span<const Index> widest,
             std::span<const Index> partner) {
  Panels result;
  for (std::size_t s = 0; s + 1 < supernode_begin.size(); ++s) {
    const Index unit = std::gcd(widest[s], scalar.entries_of_line());
    const Count width = supernode_begin[s + 1] - supernode_begin[s];
    const Count panels = (width + widest[s] - 1) / widest[s];
    const Count units = (width + unit - 1) / unit;
    for (Count i = 1; i <= panels; ++i) {
      const Count end = std::min(width, (units * i / panels) * unit);
      const Index cut = before_pair(supernode_begin[s] + static_cast<Index>(end), partner);
      if (cut == result.begin.back()) continue;
      result.begin.push_back(cut);
      result.supernode.push_back(static_cast<Index>(s));
    }
  }
  return result;
}

namespace {

/// Appends the blocks of panel p.
void append_blocks(const PanelStructure& structure, const std::vector<Index>& panel_of_column,
                   Index p, std::vector<Block>& block) {
  const auto rows = structure.rows(p);
  Index facing_end = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k] < facing_end) continue;
    const Index facing = panel_of_column[rows[k]];
    facing_end = structure.panel_begin[facing + 1];
    block.push_back({static_cast<Index>(k), facing});
  }
}

void add_blocks_by_panel(PanelStructure& structure, Index workers) {
  constexpr Index panels_a_task = 2'000;
  const std::vector<Index> panel_of_column = supernode_of_column(structure.panel_begin);
  const Index panels = structure.panels();
  const Index tasks = panels / panels_a_task + 1;
  const auto border = [&](Count task) { return static_cast<Index>(panels * task / tasks); };
  std::vector<std::vector<Block>> found(tasks);
  structure.block_begin.assign(static_cast<std::size_t>(panels) + 1, 0);
  parallel_for(tasks, workers, [&](Index task) {
    std::vector<Block> block;
    for (Index p = border(task); p < border(task + 1); ++p) {
      const std::size_t before = block.size();
      append_blocks(structure, panel_of_column, p, block);
      structure.block_begin[p + 1] = static_cast<Count>(block.size() - before);
    }
    found[task] = std::move(block);
  });
  std::inclusive_scan(structure.block_begin.begin(), structure.block_begin.end(),
                      structure.block_begin.begin());
  structure.block.clear();
  structure.block.reserve(structure.block_begin.back());
  for (const auto& part : found) {
    structure.block.insert(structure.block.end(), part.begin(), part.end());
  }
}

void add_facing_lists(PanelStructure& structure) {
  const Index panels = structure.panels();
  structure.facing_begin.assign(panels + 1, 0);
  for (const Block& block : structure.block) ++structure.facing_begin[block.facing + 1];
  for (Index p = 0; p < panels; ++p) {
    // The list of a panel does not contain its diagonal block.
    structure.facing_begin[p + 1] += structure.facing_begin[p] - 1;
  }
  structure.facing_block.resize(structure.facing_begin.back());
  structure.facing_source.resize(structure.facing_begin.back());
  std::vector<Count> next = structure.facing_begin;
  for (Index p = 0; p < panels; ++p) {
    for (Count b = structure.block_begin[p] + 1; b < structure.block_begin[p + 1]; ++b) {
      const Count k = next[structure.block[b].facing]++;
      structure.facing_block[k] = b;
      structure.facing_source[k] = p;
    }
  }
}

}  // namespace

void add_blocks(PanelStructure& structure, Index workers) {
  add_blocks_by_panel(structure, workers);
  add_facing_lists(structure);
  add_value_offsets(structure);
}

void add_value_offsets(PanelStructure& structure) {
  structure.value_begin = {0};
  for (Index p = 0; p < structure.panels(); ++p) {
    const Count entries = static_cast<Count>(structure.width(p)) * structure.height(p);
    structure.value_begin.push_back(structure.value_begin.back() + scalar.in_whole_lines(entries));
  }
}

void set_panels(PanelStructure& structure, Panels panels, Index workers) {
  structure.panel_begin = std::move(panels.begin);
  structure.panel_supernode = std::move(panels.supernode);
  if (structure.row.empty()) {
    add_value_offsets(structure);
  } else {
    add_blocks(structure, workers);
  }
}

OrderingCost stored_cost(const PanelStructure& structure) {
  std::vector<Index> width;
  std::vector<Index> height;
  for (std::size_t s = 0; s + 1 < structure.supernode_begin.size(); ++s) {
    width.push_back(structure.supernode_begin[s + 1] - structure.supernode_begin[s]);
    height.push_back(static_cast<Index>(structure.row_begin[s + 1] - structure.row_begin[s]));
  }
  return factorization_cost(height, width);
}

}  // namespace espalier::internal
