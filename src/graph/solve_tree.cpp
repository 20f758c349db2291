// SPDX-License-Identifier: BSD-3-Clause

#include "graph/solve_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mapping/local_structure.hpp"

namespace espalier::internal {

namespace {

/// Returns one past the last panel of the node that begins with panel p.
Index node_end(const PanelStructure& structure, const SubtreeCut& cut, Index p) {
  if (cut.group_of[p] >= 0) return cut.groups[cut.group_of[p]].panel_end;
  Index end = p + 1;
  while (end < structure.panels() &&
         structure.panel_supernode[end] == structure.panel_supernode[p]) {
    ++end;
  }
  return end;
}

std::span<const Index> rows_outside(const PanelStructure& structure, const SubtreeCut& cut,
                                    Index begin, Index end) {
  if (cut.group_of[begin] >= 0) return cut.external_rows(cut.groups[cut.group_of[begin]]);
  return structure.rows(end - 1).subspan(structure.width(end - 1));
}

/// Returns the entries of rows [begin, end) of a panel, numbered within the panel.
double entries(const PanelStructure& structure, Index panel, Index begin, Index end) {
  const double width = structure.width(panel);
  const double outside = begin == 0 ? width * (width - 1) / 2 : 0;
  return width * (end - begin) - outside;
}

double entries(const PanelStructure& structure, Index panel) {
  return entries(structure, panel, 0, structure.height(panel));
}

/// Fixed cost of a panel in a solve, in rows: 80 ns, where a row takes 5 ns [solve-seconds].
constexpr double rows_a_panel = 17;

class Builder {
 public:
  /// Builds the tree of panels [0, panels), which must be whole subtrees.
  Builder(const PanelStructure& structure, Index panels, const SubtreeCut& cut, Count tile_entries)
      : structure_(structure),
        panels_(panels),
        cut_(cut),
        tile_entries_(static_cast<double>(tile_entries)) {}

  SolveTree build() {
    std::vector<Index> node_of_panel(panels_);
    for (Index p = 0; p < panels_;) {
      const Index end = node_end(structure_, cut_, p);
      std::fill(node_of_panel.begin() + p, node_of_panel.begin() + end,
                static_cast<Index>(tree_.node.size()));
      add_node(p, end);
      p = end;
    }
    set_parents(node_of_panel);
    return std::move(tree_);
  }

 private:
  void add_node(Index begin, Index end) {
    double sum = 0;
    double rows = 0;
    for (Index p = begin; p < end; ++p) {
      sum += entries(structure_, p);
      rows += structure_.height(p) + rows_a_panel;
    }
    const Index columns = structure_.panel_begin[end] - structure_.panel_begin[begin];
    const bool supernode = cut_.group_of[begin] < 0;
    tree_.node.push_back({begin, end, -1, rows_outside(structure_, cut_, begin, end), columns,
                          supernode, segments(), 0, tiles(), 0});
    SolveTree::Node& node = tree_.node.back();
    if (supernode && sum > 2 * tile_entries_) {
      add_segments(node);
      for (Index p = begin; p < end; ++p) add_tiles(node, p);
    } else {
      tree_.segment.push_back({0, node.node_rows()});
      tree_.tile.push_back({this_node(), begin, end, node.segment_begin, segments(), sum, rows});
    }
    node.segment_end = segments();
    node.tile_end = tiles();
  }

  /// Adds one segment per panel, then segments of equal size for the external rows, with about
  /// `tile_entries_` entries of the widest panel in each.
  void add_segments(const SolveTree::Node& node) {
    const Index first = structure_.panel_begin[node.panel_begin];
    Index widest = 0;
    for (Index p = node.panel_begin; p < node.panel_end; ++p) {
      tree_.segment.push_back(
          {structure_.panel_begin[p] - first, structure_.panel_begin[p + 1] - first});
      widest = std::max(widest, structure_.width(p));
    }
    const Index outside = node.node_rows() - node.columns;
    const double tiles = std::ceil(static_cast<double>(outside) * widest / tile_entries_);
    const Index parts = std::min(outside, static_cast<Index>(tiles));
    Index begin = node.columns;
    for (Index left = parts; left > 0; --left) {
      const Index end = begin + (node.node_rows() - begin) / left;
      tree_.segment.push_back({begin, end});
      begin = end;
    }
  }

  /// Cuts the panel into tiles: each tile takes the next segments until it is full.
  void add_tiles(const SolveTree::Node& node, Index panel) {
    Index begin = node.segment_begin + panel - node.panel_begin;
    const Index top = tree_.segment[begin].row_begin;
    while (begin < segments()) {
      Index end = begin;
      double sum = 0;
      double rows = rows_a_panel;
      while (end < segments() && (end == begin || sum + half_of(panel, end) <= tile_entries_)) {
        const SolveTree::Segment& segment = tree_.segment[end++];
        sum += entries(structure_, panel, segment.row_begin - top, segment.row_end - top);
        rows += segment.row_end - segment.row_begin;
      }
      tree_.tile.push_back({this_node(), panel, panel + 1, begin, end, sum, rows});
      begin = end;
    }
  }

  double half_of(Index panel, Index segment) const {
    const SolveTree::Segment& rows = tree_.segment[segment];
    return 0.5 * structure_.width(panel) * (rows.row_end - rows.row_begin);
  }

  void set_parents(const std::vector<Index>& node_of_panel) {
    for (auto& node : tree_.node) {
      const auto& begins = structure_.panel_begin;
      if (node.external_rows.empty() || node.external_rows[0] >= begins[panels_]) continue;
      const auto above =
          std::upper_bound(begins.begin() + node.panel_end, begins.end(), node.external_rows[0]);
      node.parent = node_of_panel[above - begins.begin() - 1];
    }
  }

  Index this_node() const { return static_cast<Index>(tree_.node.size()) - 1; }
  Index segments() const { return static_cast<Index>(tree_.segment.size()); }
  Index tiles() const { return static_cast<Index>(tree_.tile.size()); }

  const PanelStructure& structure_;
  Index panels_;
  const SubtreeCut& cut_;
  double tile_entries_;
  SolveTree tree_;
};

}  // namespace

Index SolveTree::own_segment(const Tile& t) const {
  const Node& n = node[t.node];
  const bool whole = n.segment_end - n.segment_begin == 1;
  return n.segment_begin + (whole ? 0 : t.panel_begin - n.panel_begin);
}

std::vector<double> solve_seconds(const PanelStructure& structure, const KernelCost& cost) {
  std::vector<double> seconds(structure.panels());
  for (Index p = 0; p < structure.panels(); ++p) {
    seconds[p] = cost.solve(entries(structure, p), structure.height(p) + rows_a_panel, 1);
  }
  return seconds;
}

namespace {

/// Returns the seconds that each panel adds to the longest path of a solve: its triangle, and the
/// overhead of one task per supernode. A lower bound.
std::vector<double> path_seconds_of_solve(const PanelStructure& structure, const KernelCost& cost) {
  std::vector<double> seconds(structure.panels());
  Index supernode = -1;
  for (Index p = 0; p < structure.panels(); ++p) {
    const Index width = structure.width(p);
    seconds[p] = cost.solve(entries(structure, p, 0, width), width, 1);
    if (std::exchange(supernode, structure.panel_supernode[p]) == structure.panel_supernode[p]) {
      continue;
    }
    seconds[p] += cost.overhead();
  }
  return seconds;
}

constexpr Index subtrees_a_worker = 3;

/// Minimum predicted time of a subtree in seconds (experiment `solve-subtrees` in
/// docs/experiments.md).
constexpr double least_subtree = 70e-6;

}  // namespace

SubtreeCut cut_for_solve(const PartView& part, const KernelCost& cost, Index workers) {
  std::vector<double> seconds = solve_seconds(part.structure, cost);
  const double total =
      std::accumulate(seconds.begin(), seconds.begin() + part.ownership.shared_begin, 0.0);
  const double limit = std::max(total / (subtrees_a_worker * workers), least_subtree);
  return cut_domain(part, std::move(seconds), limit, path_seconds_of_solve(part.structure, cost));
}

SolveTree build_solve_tree(const PartView& part, const SubtreeCut& cut, Count tile_entries) {
  return Builder(part.structure, part.ownership.shared_begin, cut, tile_entries).build();
}

}  // namespace espalier::internal
