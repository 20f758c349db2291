// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/flops.hpp"
#include "graph/edges.hpp"
#include "graph/priorities.hpp"
#include "graph/task_graph.hpp"

namespace espalier {

namespace {

using Range = Task::Range;

/// Positions in the sorted list `rows` of the values in [first, last].
Range positions(std::span<const Index> rows, Index first, Index last) {
  const auto begin = std::lower_bound(rows.begin(), rows.end(), first);
  const auto end = std::upper_bound(begin, rows.end(), last);
  return {static_cast<Index>(begin - rows.begin()), static_cast<Index>(end - rows.begin())};
}

class FactorGraphBuilder {
 public:
  FactorGraphBuilder(const PanelStructure& structure, TaskGraph& graph, const KernelCost& cost)
      : structure_(structure), graph_(graph), cost_(cost), edges_(graph.tiling.tile.size()) {}

  /// The right-looking algorithm: subtrees first, then column by column D, F and U.
  void build() {
    for (Index r = 0; r < static_cast<Index>(graph_.cut.groups.size()); ++r) {
      add_subtree(r);
      for (const Range columns : facing_ranges(r)) add_assembles(r, columns);
    }
    for (Index j = 0; j < structure_.panels(); ++j) {
      if (graph_.cut.group_of[j] >= 0) continue;
      add_diagonal(j);
      for (Index t = first_tile(j); t < first_tile(j + 1); ++t) add_factor(j, t);
      for (Count b = structure_.block_begin[j] + 1; b < structure_.block_begin[j + 1]; ++b) {
        add_updates(j, b);
      }
    }
    edges_.store(graph_);
  }

 private:
  Index first_tile(Index panel) const {
    return static_cast<Index>(graph_.tiling.tile_begin[panel]);
  }
  const Tile& tile(Index t) const { return graph_.tiling.tile[t]; }

  Index append(Task task) {
    graph_.task.push_back(task);
    return graph_.size() - 1;
  }

  void add_subtree(Index r) {
    const auto& group = graph_.cut.groups[r];
    Task task{.kind = TaskKind::subtree, .group = r};
    for (Index p = group.panel_begin; p < group.panel_end; ++p) add_cost_of(p, task);
    subtree_task_ = append(task);
  }

  void add_cost_of(Index panel, Task& task) const {
    const Index width = structure_.width(panel);
    const Index below = structure_.height(panel) - width;
    task.flops += flops::potrf(width) + flops::trsm(below, width) + flops::syrk(below, width);
    task.seconds += cost_.fill(static_cast<double>(width) * (width + below)) + cost_.potrf(width) +
                    cost_.trsm(below, width) + cost_.update(below, below, width);
  }

  /// The external rows of a group, cut where the panel that they face changes.
  std::vector<Range> facing_ranges(Index r) const {
    const auto rows = graph_.cut.external_rows(graph_.cut.groups[r]);
    std::vector<Range> ranges;
    Index panel = 0;
    for (Index at = 0; at < static_cast<Index>(rows.size()); ++at) {
      if (!ranges.empty() && rows[at] < structure_.panel_begin[panel + 1]) {
        ranges.back().end = at + 1;
        continue;
      }
      panel = panel_of(rows[at]);
      ranges.push_back({at, at + 1});
    }
    return ranges;
  }

  Index panel_of(Index column) const {
    const auto& begin = structure_.panel_begin;
    return static_cast<Index>(std::upper_bound(begin.begin(), begin.end(), column) -
                              begin.begin()) -
           1;
  }

  void add_assembles(Index r, Range columns) {
    const auto rows = graph_.cut.external_rows(graph_.cut.groups[r]);
    const Index k = panel_of(rows[columns.begin]);
    for (Index t = first_tile(k); t < first_tile(k + 1); ++t) {
      const Range facing = rows_inside(rows, t, columns.begin);
      if (facing.size() <= 0) continue;
      const double entries = static_cast<double>(facing.size()) * columns.size();
      const Index a = append({.kind = TaskKind::assemble,
                              .group = r,
                              .target = t,
                              .rows = facing,
                              .columns = columns,
                              .seconds = cost_.assemble(entries),
                              .flops = entries});
      edges_.add(subtree_task_, a);
      edges_.add_writer(t, a);
    }
  }

  void add_diagonal(Index j) {
    const Index width = structure_.width(j);
    diagonal_task_ = append({.kind = TaskKind::diagonal,
                             .target = first_tile(j),
                             .seconds = cost_.potrf(width),
                             .flops = flops::potrf(width)});
    edges_.add_after_writers(first_tile(j), diagonal_task_);
  }

  void add_factor(Index j, Index t) {
    const Index width = structure_.width(j);
    const Index rows = tile(t).row_end - std::max(tile(t).row_begin, width);
    if (rows <= 0) return;
    const Index f = append({.kind = TaskKind::factor,
                            .target = t,
                            .right = first_tile(j),
                            .rows = {tile(t).row_end - rows, tile(t).row_end},
                            .seconds = cost_.trsm(rows, width),
                            .flops = flops::trsm(rows, width)});
    edges_.add(diagonal_task_, f);
    if (t != first_tile(j)) edges_.add_after_writers(t, f);
    edges_.set_factored(t, f);
  }

  /// All updates from panel j into the panel that its block b faces.
  void add_updates(Index j, Count b) {
    const Range columns{structure_.block[b].row_offset, structure_.block_end(j, b)};
    const Index k = structure_.block[b].facing;
    const Index right = source_tile(j, columns.begin);
    for (Index left = right; left < first_tile(j + 1); ++left) {
      for (Index t = first_tile(k); t < first_tile(k + 1); ++t) {
        Range rows = rows_inside(structure_.rows(j), t, columns.begin);
        rows.begin = std::max(rows.begin, tile(left).row_begin);
        rows.end = std::min(rows.end, tile(left).row_end);
        if (rows.size() > 0) add_update(t, left, right, rows, columns, structure_.width(j));
      }
    }
  }

  void add_update(Index t, Index left, Index right, Range rows, Range columns, Index inner) {
    const bool trapezoid = rows.begin == columns.begin;
    const double operations = trapezoid ? flops::trapezoid(rows.size(), columns.size(), inner)
                                        : flops::gemm(rows.size(), columns.size(), inner);
    const Index u = append({.kind = TaskKind::update,
                            .target = t,
                            .left = left,
                            .right = right,
                            .rows = rows,
                            .columns = columns,
                            .seconds = cost_.update(rows.size(), columns.size(), inner),
                            .flops = operations});
    edges_.add_after_factored(left, u);
    if (right != left) edges_.add_after_factored(right, u);
    edges_.add_writer(t, u);
  }

  /// Positions in `rows`, from `first` on, of the rows that fall into tile t.
  Range rows_inside(std::span<const Index> rows, Index t, Index first) const {
    const auto own = structure_.rows(tile(t).panel);
    Range range = positions(rows.subspan(first), own[tile(t).row_begin], own[tile(t).row_end - 1]);
    return {range.begin + first, range.end + first};
  }

  /// The tile of panel j that contains a row of it.
  Index source_tile(Index j, Index row) const {
    Index t = first_tile(j);
    while (tile(t).row_end <= row) ++t;
    return t;
  }

  const PanelStructure& structure_;
  TaskGraph& graph_;
  const KernelCost& cost_;
  EdgeList edges_;
  Index subtree_task_ = -1;
  Index diagonal_task_ = -1;
};

}  // namespace

TaskGraph build_factor_graph(const PanelStructure& structure, SubtreeCut cut, Tiling tiling,
                             const KernelCost& cost) {
  TaskGraph graph;
  graph.cut = std::move(cut);
  graph.tiling = std::move(tiling);
  FactorGraphBuilder(structure, graph, cost).build();
  set_priorities(graph);
  return graph;
}

}  // namespace espalier
