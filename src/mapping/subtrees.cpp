// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/subtrees.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"

namespace espalier::internal {

namespace {

constexpr Index panels_a_task = 2'000;

/// Returns whether panel p > 0 has the shape of the panel before it, and the same blocks.
bool repeats_shape(const PanelStructure& structure, Index p) {
  if (structure.width(p) != structure.width(p - 1)) return false;
  const auto blocks = [&](Index panel) {
    return std::span(structure.block)
        .subspan(static_cast<std::size_t>(structure.block_begin[panel]),
                 static_cast<std::size_t>(structure.block_begin[panel + 1] -
                                          structure.block_begin[panel]));
  };
  return structure.height(p) == structure.height(p - 1) &&
         std::ranges::equal(blocks(p), blocks(p - 1), {}, &Block::row_offset, &Block::row_offset);
}

/// Sets the seconds of the blocks of panels [first, last).
void set_block_seconds(const PanelStructure& structure, const KernelCost& cost, Index first,
                       Index last, std::vector<double>& seconds) {
  for (Index p = first; p < last; ++p) {
    if (p > first && repeats_shape(structure, p)) {
      const Count begin = structure.block_begin[p];
      std::copy(seconds.begin() + structure.block_begin[p - 1], seconds.begin() + begin,
                seconds.begin() + begin);
      continue;
    }
    const Index width = structure.width(p);
    const Index height = structure.height(p);
    const Count diagonal = structure.block_begin[p];
    seconds[diagonal] = cost.fill(static_cast<double>(height) * width, width) + cost.potrf(width) +
                        cost.trsm(height - width, width);
    for (Count b = diagonal + 1; b < structure.block_begin[p + 1]; ++b) {
      const Index begin = structure.block[b].row_offset;
      seconds[b] =
          cost.update(height - begin, structure.block_end(p, b) - begin, width, Target::again);
    }
  }
}

}  // namespace

std::vector<double> block_seconds(const PanelStructure& structure, const KernelCost& cost,
                                  Index threads) {
  std::vector<double> seconds(structure.block.size());
  parallel_ranges(structure.panels(), panels_a_task, threads, [&](Index first, Index last) {
    set_block_seconds(structure, cost, first, last, seconds);
  });
  return seconds;
}

std::vector<double> panel_seconds(const PanelStructure& structure,
                                  std::span<const double> block_seconds) {
  std::vector<double> seconds(structure.panels());
  const auto block = block_seconds.begin();
  for (Index p = 0; p < structure.panels(); ++p) {
    seconds[p] = std::accumulate(block + structure.block_begin[p],
                                 block + structure.block_begin[p + 1], 0.0);
  }
  return seconds;
}

std::vector<double> panel_seconds(const PanelStructure& structure, const KernelCost& cost) {
  return panel_seconds(structure, block_seconds(structure, cost));
}

namespace {

void set_path_seconds(const PanelStructure& structure, const KernelCost& cost, Index first,
                      Index last, std::vector<double>& seconds) {
  constexpr int tasks = 3;
  for (Index p = first; p < last; ++p) {
    if (p > first && repeats_shape(structure, p)) {
      seconds[p] = seconds[p - 1];
      continue;
    }
    const Index width = structure.width(p);
    const Count next = structure.block_begin[p] + 1;
    seconds[p] = tasks * cost.overhead() + cost.potrf(width);
    if (next == structure.block_begin[p + 1]) continue;
    const Index rows = structure.block_end(p, next) - structure.block[next].row_offset;
    seconds[p] += cost.trsm(rows, width) + cost.update(rows, rows, width, Target::again);
  }
}

}  // namespace

std::vector<double> path_seconds(const PanelStructure& structure, const KernelCost& cost,
                                 Index threads) {
  std::vector<double> seconds(structure.panels());
  parallel_ranges(structure.panels(), panels_a_task, threads, [&](Index first, Index last) {
    set_path_seconds(structure, cost, first, last, seconds);
  });
  return seconds;
}

namespace {

/// First panel and seconds of the subtree of each panel, and the panel's parent. Panels are
/// postordered.
struct Subtrees {
  std::vector<Index> first;
  std::vector<double> seconds;
  std::vector<Index> parent;
};

Subtrees accumulate(const PanelStructure& structure, std::span<const double> seconds) {
  Subtrees trees;
  trees.seconds.assign(seconds.begin(), seconds.end());
  trees.first.resize(seconds.size());
  std::iota(trees.first.begin(), trees.first.end(), 0);
  trees.parent.reserve(seconds.size());
  for (Index p = 0; p < structure.panels(); ++p) {
    const Index parent = trees.parent.emplace_back(structure.parent(p));
    if (parent < 0) continue;
    trees.seconds[parent] += trees.seconds[p];
    trees.first[parent] = std::min(trees.first[parent], trees.first[p]);
  }
  return trees;
}

Count entries_of(const PanelStructure& structure, Index panel_begin, Index panel_end) {
  return structure.value_begin[panel_end] - structure.value_begin[panel_begin];
}

/// Returns 1 for each panel whose subtree is one task or part of one.
std::vector<char> below_cut(const PanelStructure& structure, const Subtrees& trees, double limit,
                            std::span<const double> path) {
  std::vector<char> below(structure.panels());
  std::vector<double> done(structure.panels(), 0.0);  // lower bound of the end of each subtree
  for (Index p = 0; p < structure.panels(); ++p) {
    if (!path.empty()) done[p] += path[p];
    const bool fits = entries_of(structure, trees.first[p], p + 1) <= most_entries_of_group;
    below[p] = fits && trees.seconds[p] <= std::max(limit, done[p]) ? 1 : 0;
    if (below[p] != 0) done[p] = trees.seconds[p];
    const Index parent = trees.parent[p];
    if (parent >= 0) done[parent] = std::max(done[parent], done[p]);
  }
  for (Index p = structure.panels(); p-- > 0;) {
    const Index parent = trees.parent[p];
    if (parent >= 0 && below[parent] != 0) below[p] = 1;
  }
  return below;
}

/// Collects the rows outside of a group from the roots of its subtrees.
class ExternalRows {
 public:
  ExternalRows(const PanelStructure& structure, const std::vector<Index>& parent)
      : structure_(structure),
        parent_(parent),
        is_outside_(static_cast<std::size_t>(structure.n), false) {}

  /// Ends a group. All its roots have one parent, which has all rows below them.
  void close(SubtreeCut& cut, SubtreeCut::Group group) {
    auto& rows = cut.external_row;
    group.external_begin = static_cast<Count>(rows.size());
    Index parent = -1;
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      cut.group_of[p] = static_cast<Index>(cut.groups.size());
      const Index above = parent_[p];
      if (above < 0 || above < group.panel_end) continue;
      parent = above;
      for (const Index row : structure_.rows(p).subspan(structure_.width(p))) {
        is_outside_[row] = true;
      }
    }
    if (parent >= 0) {
      for (const Index row : structure_.rows(parent)) {
        if (is_outside_[row]) rows.push_back(row);
        is_outside_[row] = false;
      }
    }
    group.external_end = static_cast<Count>(rows.size());
    cut.groups.push_back(group);
  }

 private:
  const PanelStructure& structure_;
  const std::vector<Index>& parent_;  ///< of each panel
  std::vector<char> is_outside_;      ///< one value per row of L
};

}  // namespace

SubtreeCut cut_subtrees(const PanelStructure& structure, std::span<const double> seconds,
                        double limit, std::span<const double> path) {
  const Subtrees trees = accumulate(structure, seconds);
  const std::vector<char> below = below_cut(structure, trees, limit, path);
  ExternalRows external(structure, trees.parent);
  SubtreeCut cut;
  cut.group_of.assign(structure.panels(), -1);
  SubtreeCut::Group open{0, 0, 0, 0};
  Index open_parent = -1;
  double open_seconds = 0;
  auto close = [&] {
    if (open.panel_end > open.panel_begin) external.close(cut, open);
    open = {0, 0, 0, 0};
  };
  for (Index p = 0; p < structure.panels(); ++p) {
    const Index parent = trees.parent[p];
    const bool is_root = below[p] != 0 && (parent < 0 || below[parent] == 0);
    if (!is_root) continue;
    const bool joins = open.panel_end > open.panel_begin && open.panel_end == trees.first[p] &&
                       open_parent == parent && open_seconds + trees.seconds[p] <= limit &&
                       entries_of(structure, open.panel_begin, p + 1) <= most_entries_of_group;
    if (!joins) {
      close();
      open.panel_begin = trees.first[p];
      open_seconds = 0;
    }
    open.panel_end = p + 1;
    open_parent = parent;
    open_seconds += trees.seconds[p];
  }
  close();
  return cut;
}

SubtreeCut whole_forest(const PanelStructure& structure) {
  std::vector<double> none(structure.panels(), 0.0);
  return cut_subtrees(structure, none, std::numeric_limits<double>::max());
}

}  // namespace espalier::internal
