// SPDX-License-Identifier: BSD-3-Clause

#include "graph/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace espalier::internal {

std::array<Count, task_kinds> TaskGraph::counts() const {
  std::array<Count, task_kinds> counts{};
  for (const Task& t : task) ++counts[static_cast<std::size_t>(t.kind)];
  return counts;
}

Index TaskGraph::first_shadow() const {
  const auto first = std::find_if(contribution.begin(), contribution.end(),
                                  [](const auto& c) { return c.is_shadow(); });
  return static_cast<Index>(first - contribution.begin());
}

namespace {

[[noreturn]] void broken(Index t, std::string_view what) {
  throw std::logic_error(fmt::format("task {} {}", t, what));
}

void expect_of_task(bool holds, Index t, std::string_view what) {
  if (!holds) broken(t, what);
}

/// Rows and columns of a product, as positions in the source panel's rows.
struct Product {
  std::span<const Index> source;
  Task::Range rows;
  Task::Range columns;
};

void check_falls_into(Index t, const Product& product, const PanelStructure& structure,
                      const Tile& tile) {
  const auto own =
      structure.rows(tile.panel)
          .subspan(tile.row_begin, static_cast<std::size_t>(tile.row_end - tile.row_begin));
  for (Index i = product.rows.begin; i < product.rows.end; ++i) {
    expect_of_task(std::binary_search(own.begin(), own.end(), product.source[i]), t,
                   "has a row that its target tile lacks");
  }
  for (Index j = product.columns.begin; j < product.columns.end; ++j) {
    const Index column = product.source[j];
    expect_of_task(structure.panel_begin[tile.panel] <= column &&
                       column < structure.panel_begin[tile.panel + 1],
                   t, "has a column that its target panel lacks");
  }
}

void check_inside(Index t, const Tile& tile, Task::Range range) {
  expect_of_task(
      tile.row_begin <= range.begin && range.begin < range.end && range.end <= tile.row_end, t,
      "reads rows outside of its source tile");
}

void check_update(Index t, const Task& task, const TaskGraph& graph,
                  const PanelStructure& structure) {
  const auto& tiles = graph.tiling.tile;
  const Index source = tiles[task.left].panel;
  expect_of_task(source == tiles[task.right].panel, t, "has two source panels");
  check_inside(t, tiles[task.left], task.rows);
  check_inside(t, tiles[task.right], task.columns);
  check_falls_into(t, {structure.rows(source), task.rows, task.columns}, structure,
                   tiles[task.target]);
}

void check_task(Index t, const TaskGraph& graph, const PanelStructure& structure) {
  const Task& task = graph.task[t];
  const auto& tiles = graph.tiling.tile;
  switch (task.kind) {
    case TaskKind::diagonal:
      expect_of_task(tiles[task.target].row_begin == 0, t,
                     "factors a tile without a diagonal block");
      break;
    case TaskKind::factor:
      expect_of_task(tiles[task.target].panel == tiles[task.right].panel, t,
                     "scales another panel's tile");
      check_inside(t, tiles[task.target], task.rows);
      break;
    case TaskKind::update:
      for (const Task& part : graph.parts(task)) check_update(t, part, graph, structure);
      break;
    case TaskKind::subtree:
    case TaskKind::assemble:
    case TaskKind::reduce:
    case TaskKind::fill: break;
    case TaskKind::forward:
    case TaskKind::backward: broken(t, "belongs to the solve");
  }
}

/// Returns the number of entries in a lower triangle of order `rows`. The updates by a panel with
/// this number of rows below its diagonal block must cover this number of entries.
Count pairs(Count rows) { return rows * (rows + 1) / 2; }

Count entries_covered(const Task& task) {
  const Count rows = task.rows.size();
  const Count columns = task.columns.size();
  const bool trapezoid = task.rows.begin == task.columns.begin;
  return trapezoid ? pairs(columns) + (rows - columns) * columns : rows * columns;
}

/// Returns the pairs (group, tile) for which a panel of the group updates the tile above the cut.
std::set<std::pair<Index, Index>> assembles_due(const TaskGraph& graph,
                                                const PanelStructure& structure) {
  std::set<std::pair<Index, Index>> due;
  for (Index r = 0; r < static_cast<Index>(graph.cut.groups.size()); ++r) {
    const auto& group = graph.cut.groups[r];
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      for (Count b = structure.block_begin[p] + 1; b < structure.block_begin[p + 1]; ++b) {
        const Index k = structure.block[b].facing;
        if (k < group.panel_end) continue;
        const auto rows = structure.rows(p).subspan(structure.block[b].row_offset);
        for (Count t = graph.tiling.tile_begin[k]; t < graph.tiling.tile_begin[k + 1]; ++t) {
          const Tile& tile = graph.tiling.tile[t];
          const auto first =
              std::lower_bound(rows.begin(), rows.end(), structure.rows(k)[tile.row_begin]);
          const bool meets = first != rows.end() && *first <= structure.rows(k)[tile.row_end - 1];
          if (meets) due.emplace(r, static_cast<Index>(t));
        }
      }
    }
  }
  return due;
}

void check_updates(const TaskGraph& graph, const PanelStructure& structure) {
  Count covered = 0;
  for (const Task& task : graph.task) {
    if (task.kind != TaskKind::update) continue;
    for (const Task& part : graph.parts(task)) covered += entries_covered(part);
  }
  Count due = 0;
  for (Index p = 0; p < structure.panels(); ++p) {
    if (graph.cut.group_of[p] < 0) due += pairs(structure.height(p) - structure.width(p));
  }
  if (covered != due) {
    throw std::logic_error(fmt::format("updates cover {} entries instead of {}", covered, due));
  }
}

void check_assembles(const TaskGraph& graph, const PanelStructure& structure) {
  auto due = assembles_due(graph, structure);
  for (Index t = 0; t < graph.size(); ++t) {
    const Task& task = graph.task[t];
    if (task.kind != TaskKind::assemble) continue;
    expect_of_task(due.erase({task.group, task.target}) == 1, t,
                   "assembles an update that its group lacks or that another task assembles");
  }
  if (!due.empty()) {
    throw std::logic_error(fmt::format("no task assembles group {} into tile {}",
                                       due.begin()->first, due.begin()->second));
  }
}

}  // namespace

void check(const TaskGraph& graph, const PanelStructure& structure) {
  for (Index t = 0; t < graph.size(); ++t) {
    for (const Index next : graph.successors(t)) {
      expect_of_task(t < next, t, "has a successor that comes before it");
    }
    check_task(t, graph, structure);
  }
  check_updates(graph, structure);
  check_assembles(graph, structure);
}

namespace {

/// Returns the number of the sum that a task adds to: a tile, or after all tiles a contribution.
/// Returns -1 if the task does not add to a sum.
Index sum_of(const TaskGraph& graph, const Task& task) {
  const bool adds = task.kind == TaskKind::update || task.kind == TaskKind::assemble ||
                    task.kind == TaskKind::reduce;
  if (!adds) return -1;
  const Index instead = graph.written_instead(task);
  return instead < 0 ? task.target : static_cast<Index>(graph.tiling.tile.size()) + instead;
}

/// Returns the longest path from each task to the end. Task t takes seconds(t); tails count.
/// `after(task)` returns the length of another path that follows the task. Calls done(task, path)
/// with each result.
template <class Seconds, class After, class Done>
std::vector<float> longest_paths(const TaskGraph& graph, Seconds seconds, After after, Done done) {
  std::vector<float> path(graph.task.size());
  for (Index t = graph.size() - 1; t >= 0; --t) {
    const Task& task = graph.task[t];
    float longest = std::max(task.tail, after(task));
    for (const Index next : graph.successors(t)) longest = std::max(longest, path[next]);
    path[t] = longest + static_cast<float>(seconds(t));
    done(task, path[t]);
  }
  return path;
}

template <class Seconds>
double longest_path(const TaskGraph& graph, Seconds seconds) {
  const auto path = longest_paths(
      graph, seconds, [](const Task&) { return 0.0F; }, [](const Task&, float) {});
  return path.empty() ? 0 : *std::max_element(path.begin(), path.end());
}

}  // namespace

void set_priorities(TaskGraph& graph) {
  std::vector<float> rest(graph.tiling.tile.size() + graph.contribution.size(), 0);
  const auto path = longest_paths(
      graph, [&](Index t) { return graph.task[t].seconds; },
      [&](const Task& task) {
        const Index sum = sum_of(graph, task);
        return sum < 0 ? 0 : rest[sum];
      },
      [&](const Task& task, float longest) {
        const Index sum = sum_of(graph, task);
        if (sum >= 0) rest[sum] = longest;
      });
  for (Index t = 0; t < graph.size(); ++t) graph.task[t].priority = path[t];
}

double critical_path(const TaskGraph& graph) {
  return longest_path(graph, [&](Index t) { return graph.task[t].seconds; });
}

double critical_path(const TaskGraph& graph, std::span<const double> seconds) {
  return longest_path(graph, [&](Index t) { return seconds[t]; });
}

}  // namespace espalier::internal
