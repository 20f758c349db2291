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
      : structure_(structure),
        graph_(graph),
        cost_(cost),
        edges_(graph.tiling.tile.size()),
        assemble_(graph.tiling.tile.size()) {}

  /// The right-looking algorithm: subtrees first, then column by column D, F and U.
  void build() {
    for (Index r = 0; r < static_cast<Index>(graph_.cut.groups.size()); ++r) {
      add_subtree(r);
    }
    for (Index j = 0; j < structure_.panels(); ++j) {
      if (graph_.cut.group_of[j] >= 0) continue;
      add_diagonal(j);
      for (Index t = first_tile(j); t < first_tile(j + 1); ++t) add_factor(j, t);
      for (Count b = structure_.block_begin[j] + 1; b < structure_.block_begin[j + 1]; ++b) {
        add_updates(j, b);
      }
    }
    for (Task& task : graph_.task) finish(task);
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

  /// Adds kernels whose operations have the inner dimension `inner`; until finish(), a task's
  /// `inner` is the sum over them.
  static void add_kernels(Task& task, double flops, double seconds, double inner) {
    task.flops += flops;
    task.seconds += seconds;
    task.inner += flops * inner;
  }
  void finish(Task& task) const {
    if (task.flops > 0) task.inner /= task.flops;
    task.seconds = cost_.task(task.kind, task.seconds, task.flops, task.inner);
  }

  /// S(r), and A(r,t) for all tiles t that panels of the group update.
  void add_subtree(Index r) {
    const auto& group = graph_.cut.groups[r];
    Task subtree{.kind = TaskKind::subtree, .group = r};
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      const Index width = structure_.width(p);
      const Index height = structure_.height(p);
      add_kernels(subtree, flops::potrf(width) + flops::trsm(height - width, width),
                  cost_.fill(static_cast<double>(width) * height) + cost_.potrf(width) +
                      cost_.trsm(height - width, width),
                  width);
      for (Count b = structure_.block_begin[p] + 1; b < structure_.block_begin[p + 1]; ++b) {
        const Range columns{structure_.block[b].row_offset, structure_.block_end(p, b)};
        const Index k = structure_.block[b].facing;
        if (k < group.panel_end) {
          add_cost({columns.begin, height}, columns, width, subtree);
        } else {
          for_each_part(p, columns, k, [&](Index t, Range rows) {
            add_cost(rows, columns, width, assemble_into(r, t));
          });
        }
      }
    }
    append_with_assembles(subtree);
  }

  void append_with_assembles(const Task& subtree) {
    const Index s = append(subtree);
    std::sort(assembled_.begin(), assembled_.end());
    for (const Index t : assembled_) {
      const Index a = append(assemble_[t]);
      edges_.add(s, a);
      edges_.add_writer(t, a);
    }
    assembled_.clear();
  }

  /// A(r,t) for the group r at hand.
  Task& assemble_into(Index r, Index t) {
    Task& task = assemble_[t];
    if (task.group != r) {
      task = {.kind = TaskKind::assemble, .group = r, .target = t};
      assembled_.push_back(t);
    }
    return task;
  }

  /// Adds what the update by these rows and columns of a source panel costs.
  void add_cost(Range rows, Range columns, Index inner, Task& task) const {
    if (rows.begin == columns.begin) {
      add_kernels(task, flops::trapezoid(rows.size(), columns.size(), inner),
                  cost_.update(rows.size(), columns.size(), inner), inner);
    } else {
      add_kernels(task, flops::gemm(rows.size(), columns.size(), inner),
                  cost_.product(rows.size(), columns.size(), inner), inner);
    }
  }

  /// Calls f(t, rows) for every tile t of panel k and the rows of panel j, from `columns` on, that
  /// fall into it.
  template <class F>
  void for_each_part(Index j, Range columns, Index k, F f) const {
    if (first_tile(k) + 1 == first_tile(k + 1)) {
      return f(first_tile(k), Range{columns.begin, structure_.height(j)});
    }
    for (Index t = first_tile(k); t < first_tile(k + 1); ++t) {
      const Range rows = rows_inside(structure_.rows(j), t, columns.begin);
      if (rows.size() > 0) f(t, rows);
    }
  }

  void add_diagonal(Index j) {
    const Index width = structure_.width(j);
    Task diagonal{.kind = TaskKind::diagonal, .target = first_tile(j)};
    add_kernels(diagonal, flops::potrf(width), cost_.potrf(width), width);
    diagonal_task_ = append(diagonal);
    edges_.add_after_writers(first_tile(j), diagonal_task_);
  }

  void add_factor(Index j, Index t) {
    const Index width = structure_.width(j);
    const Index rows = tile(t).row_end - std::max(tile(t).row_begin, width);
    if (rows <= 0) return;
    Task factor{.kind = TaskKind::factor,
                .target = t,
                .right = first_tile(j),
                .rows = {tile(t).row_end - rows, tile(t).row_end}};
    add_kernels(factor, flops::trsm(rows, width), cost_.trsm(rows, width), width);
    const Index f = append(factor);
    edges_.add(diagonal_task_, f);
    if (t != first_tile(j)) edges_.add_after_writers(t, f);
    edges_.set_factored(t, f);
  }

  /// All updates from panel j into the panel that its block b faces.
  void add_updates(Index j, Count b) {
    const Range columns{structure_.block[b].row_offset, structure_.block_end(j, b)};
    const Index k = structure_.block[b].facing;
    const Index right = source_tile(j, columns.begin);
    for_each_part(j, columns, k, [&](Index t, Range part) {
      for (Index left = right; left < first_tile(j + 1); ++left) {
        const Range rows{std::max(part.begin, tile(left).row_begin),
                         std::min(part.end, tile(left).row_end)};
        if (rows.size() > 0) add_update(t, left, right, rows, columns, structure_.width(j));
      }
    });
  }

  void add_update(Index t, Index left, Index right, Range rows, Range columns, Index inner) {
    Task update{.kind = TaskKind::update,
                .target = t,
                .left = left,
                .right = right,
                .rows = rows,
                .columns = columns};
    add_cost(rows, columns, inner, update);
    const Index u = append(update);
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
  std::vector<Task> assemble_;    ///< for each tile, A(r,t) of the last group r that has one
  std::vector<Index> assembled_;  ///< tiles that the group at hand updates
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
