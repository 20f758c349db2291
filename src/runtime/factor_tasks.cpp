// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/factor_tasks.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/packed_triangle.hpp"

namespace espalier {

Count ContributionSlots::entries() const {
  return std::accumulate(slot_entries.begin(), slot_entries.end(), Count{0});
}

ContributionSlots contribution_slots(const SubtreeCut& cut, Index workers) {
  ContributionSlots slots;
  const auto most = static_cast<std::size_t>(workers);
  std::size_t next = 0;
  for (const auto& group : cut.groups) {
    const Index order = cut.external_size(group);
    if (order == 0) {
      slots.slot_of_group.push_back(-1);
      continue;
    }
    const std::size_t slot = next++ % most;
    if (slot == slots.slot_entries.size()) slots.slot_entries.push_back(0);
    slots.slot_entries[slot] = std::max(slots.slot_entries[slot], PackedTriangle::entries(order));
    slots.slot_of_group.push_back(static_cast<Index>(slot));
  }
  return slots;
}

FactorTasks::FactorTasks(const PanelStructure& structure, const TaskGraph& graph,
                         const ContributionSlots& slots, FactorContext& context, double* values,
                         double* contributions, bool ordered_updates)
    : structure_(structure),
      graph_(graph),
      slots_(slots),
      context_(context),
      update_mode_(ordered_updates ? AccessMode::read_write : AccessMode::add) {
  add_data(values, contributions);
  const auto counts = graph.counts();
  auto count = [&](TaskKind kind) {
    return static_cast<std::size_t>(counts[static_cast<std::size_t>(kind)]);
  };
  diagonal_.reserve(count(TaskKind::diagonal));
  factor_.reserve(count(TaskKind::factor));
  update_.reserve(count(TaskKind::update));
  subtree_.reserve(count(TaskKind::subtree));
  assemble_.reserve(count(TaskKind::assemble));
  list_.task.reserve(graph.task.size());
  for (const Task& task : graph.task) bind(task);
}

void FactorTasks::add_data(double* values, double* contributions) {
  for (const Tile& t : graph_.tiling.tile) {
    double* const top = values + structure_.value_begin[t.panel] + t.row_begin;
    list_.data.push_back(
        {top, t.row_end - t.row_begin, structure_.width(t.panel), structure_.height(t.panel)});
    lazy_.push_back({{structure_.panel_begin[t.panel], t.row_begin}, 0});
  }
  for (const auto& group : graph_.cut.groups) {
    const Count begin = structure_.value_begin[group.panel_begin];
    const Count length = structure_.value_begin[group.panel_end] - begin;
    list_.data.push_back({values + begin, static_cast<Index>(length), 1, length});
  }
  for (const Count length : slots_.slot_entries) {
    list_.data.push_back({contributions, static_cast<Index>(length), 1, length});
    contributions += length;
  }
}

Index FactorTasks::slot_data(Index group) const {
  return group_data(static_cast<Index>(graph_.cut.groups.size())) + slots_.slot_of_group[group];
}

std::span<const Index> FactorTasks::rows_of(const Tile& tile) const {
  return structure_.rows(tile.panel)
      .subspan(tile.row_begin, static_cast<std::size_t>(tile.row_end - tile.row_begin));
}

std::vector<Index> FactorTasks::data_of_panel(Index panel) const {
  if (graph_.cut.group_of[panel] >= 0) return {group_data(graph_.cut.group_of[panel])};
  std::vector<Index> tiles;
  for (Count t = graph_.tiling.tile_begin[panel]; t < graph_.tiling.tile_begin[panel + 1]; ++t) {
    tiles.push_back(static_cast<Index>(t));
  }
  return tiles;
}

void FactorTasks::bind(const Task& task) {
  switch (task.kind) {
    case TaskKind::diagonal: return bind_diagonal(task);
    case TaskKind::factor: return bind_factor(task);
    case TaskKind::update: return bind_update(task);
    case TaskKind::subtree: return bind_subtree(task);
    case TaskKind::assemble: return bind_assemble(task);
    case TaskKind::forward:
    case TaskKind::backward: break;
  }
}

namespace {

Shape shape_of(const Task& task, Index m, Index n, Index k) {
  return {task.kind, m, n, k, task.flops, task.seconds};
}

}  // namespace

void FactorTasks::bind_diagonal(const Task& task) {
  const Tile& target = tile(task.target);
  const Index width = structure_.width(target.panel);
  const auto& bound = diagonal_.emplace_back(
      DiagonalTask{{&context_}, &lazy_[task.target], structure_.panel_begin[target.panel]});
  const std::array accesses{Access{task.target, AccessMode::read_write}};
  list_.append(shape_of(task, width, width, width), bound, accesses, task.priority);
}

void FactorTasks::bind_factor(const Task& task) {
  const Tile& target = tile(task.target);
  const Index width = structure_.width(target.panel);
  const auto& bound = factor_.emplace_back(
      FactorTask{{&context_}, &lazy_[task.target], task.rows.begin - target.row_begin});
  const std::array accesses{Access{task.target, AccessMode::read_write},
                            Access{task.right, AccessMode::read}};
  list_.append(shape_of(task, task.rows.size(), width, width), bound,
               std::span(accesses).first(task.right == task.target ? 1 : 2), task.priority);
}

void FactorTasks::bind_update(const Task& task) {
  const Tile& target = tile(task.target);
  const auto source = structure_.rows(tile(task.left).panel);
  UpdateTask arguments{{&context_}};
  arguments.tile = &lazy_[task.target];
  arguments.target_rows = rows_of(target);
  arguments.target_column = structure_.panel_begin[target.panel];
  arguments.source_rows = source.subspan(task.rows.begin, task.rows.size());
  arguments.source_columns = source.subspan(task.columns.begin, task.columns.size());
  arguments.left_row = task.rows.begin - tile(task.left).row_begin;
  arguments.right_row = task.columns.begin - tile(task.right).row_begin;
  arguments.lower = task.rows.begin == task.columns.begin;
  const std::array accesses{Access{task.target, update_mode_}, Access{task.left, AccessMode::read},
                            Access{task.right, AccessMode::read}};
  const Index inner = structure_.width(tile(task.left).panel);
  list_.append(shape_of(task, task.rows.size(), task.columns.size(), inner),
               update_.emplace_back(arguments),
               std::span(accesses).first(task.left == task.right ? 2 : 3), task.priority);
}

void FactorTasks::bind_subtree(const Task& task) {
  const auto& group = graph_.cut.groups[task.group];
  const auto rows = graph_.cut.external_rows(group);
  const auto& bound =
      subtree_.emplace_back(SubtreeTask{{&context_}, group.panel_begin, group.panel_end, rows});
  std::array accesses{Access{group_data(task.group), AccessMode::write}, Access{}};
  if (!rows.empty()) accesses[1] = {slot_data(task.group), AccessMode::write};
  const Index columns =
      structure_.panel_begin[group.panel_end] - structure_.panel_begin[group.panel_begin];
  list_.append(shape_of(task, static_cast<Index>(rows.size()), columns, 0), bound,
               std::span(accesses).first(rows.empty() ? 1 : 2), task.priority);
}

void FactorTasks::bind_assemble(const Task& task) {
  const auto rows = graph_.cut.external_rows(graph_.cut.groups[task.group]);
  AssembleTask arguments{{&context_}};
  arguments.tile = &lazy_[task.target];
  arguments.target_rows = rows_of(tile(task.target));
  arguments.target_column = structure_.panel_begin[tile(task.target).panel];
  arguments.rows = rows.subspan(task.rows.begin, task.rows.size());
  arguments.columns = rows.subspan(task.columns.begin, task.columns.size());
  arguments.first_row = task.rows.begin;
  arguments.first_column = task.columns.begin;
  arguments.order = static_cast<Index>(rows.size());
  const std::array accesses{Access{task.target, update_mode_},
                            Access{slot_data(task.group), AccessMode::read}};
  list_.append(shape_of(task, task.rows.size(), task.columns.size(), 0),
               assemble_.emplace_back(arguments), accesses, task.priority);
}

}  // namespace espalier
