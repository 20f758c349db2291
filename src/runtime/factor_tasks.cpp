// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/factor_tasks.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

namespace espalier::internal {

FactorTasks::FactorTasks(const PanelStructure& structure, const TaskGraph& graph,
                         FactorContext& context, std::span<const MatrixView> data,
                         bool ordered_updates, Index threads)
    : structure_(structure),
      graph_(graph),
      context_(context),
      update_mode_(ordered_updates ? AccessMode::read_write : AccessMode::add) {
  list_.data.assign(data.begin(), data.end());
  add_lazy_tiles();
  const auto counts = graph.counts();
  auto count = [&](TaskKind kind) {
    return static_cast<std::size_t>(counts[static_cast<std::size_t>(kind)]);
  };
  diagonal_.reserve(count(TaskKind::diagonal));
  factor_.reserve(count(TaskKind::factor));
  update_.reserve(count(TaskKind::update) + graph.part.size());
  piece_.reserve(graph.part.size());
  subtree_.reserve(count(TaskKind::subtree));
  assemble_.reserve(count(TaskKind::assemble));
  reduce_.reserve(count(TaskKind::reduce));
  fill_.reserve(count(TaskKind::fill));
  list_.task.reserve(graph.task.size());
  for (const Task& task : graph.task) bind(task);
  count_operations(threads);
  for (BoundTask& task : list_.task) task.shape.queued = &task.queued;
}

/// Counts the operations of tasks on groups, which may have many panels.
void FactorTasks::count_operations(Index threads) {
  constexpr Index tasks_a_range = 50;
  constexpr Index panels_a_thread = 5'000;
  parallel_ranges(static_cast<Index>(assemble_.size()), tasks_a_range, threads,
                  [&](Index first, Index last) {
                    for (Index k = first; k < last; ++k) {
                      assemble_[k].contributed = assemble_[k].operations_of_group();
                    }
                  });
  parallel_for(static_cast<Index>(subtree_.size()),
               std::min(threads, structure_.panels() / panels_a_thread + 1), [&](Index k) {
                 SubtreeTask& task = subtree_[k];
                 task.inside = operations_inside(structure_, task.panel_begin, task.panel_end);
               });
}

void FactorTasks::make_payloads(const DeviceSeconds& device) {
  for (Index t = 0; t < graph_.size(); ++t) {
    Shape& shape = list_.task[t].shape;
    shape.device_seconds = device.of(graph_.task[t], graph_, structure_);
    shape.device_kernels = device.kernels(graph_.task[t], graph_, structure_);
    shape.device_costs = &device.table();
  }
  payloads_.emplace(list_, device.runs(TaskKind::assemble));
  for (Index t = 0; t < graph_.size(); ++t) {
    if (payloads_->of(t).empty()) list_.task[t].shape.device_seconds = 0;
  }
  list_.payloads = &*payloads_;
}

void FactorTasks::alternate_sides() {
  std::array<bool, task_kinds> is_for_device{};
  for (BoundTask& task : list_.task) {
    if (task.shape.kind == TaskKind::fill) continue;  // needs entries of A, which devices lack
    bool& turn = is_for_device[static_cast<std::size_t>(task.shape.kind)];
    turn = !turn;
    if (turn) task.shape.device = 0;
  }
}

void FactorTasks::count_blocks_of_rank(const Ownership& ownership) {
  for (BoundTask& task : list_.task) {
    Shape& shape = task.shape;
    if (!ownership.is_shared(shape.column)) continue;
    const BlockPlace own = ownership.place(shape.column, shape.row);
    shape.own_row = own.row;
    shape.own_column = own.column;
  }
}

void FactorTasks::make_batches(std::span<const MatrixView> strips) {
  batches_.emplace(graph_, list_, strips);
  list_.batches = &batches_->list();
}

void FactorTasks::add_lazy_tiles() {
  lazy_.reserve(graph_.tiling.tile.size() + graph_.contribution.size());
  for (const Tile& t : graph_.tiling.tile) {
    lazy_.push_back({{structure_.panel_begin[t.panel], t.row_begin}});
  }
  for (std::size_t c = 0; c < graph_.contribution.size(); ++c) {
    lazy_.push_back({.part = {}, .from_zero = true});
  }
}

FactorTasks::Target FactorTasks::target_of(const Task& task) {
  const Index written = graph_.written_instead(task);
  if (written < 0) return {task.target, &lazy_[task.target], rows_of(tile(task.target))};
  return {graph_.contribution_data(written), &lazy_[graph_.tiling.tile.size() + written],
          graph_.rows_of(graph_.contribution[written])};
}

std::span<const Index> FactorTasks::rows_of(const Tile& tile) const {
  return structure_.rows(tile.panel)
      .subspan(tile.row_begin, static_cast<std::size_t>(tile.row_end - tile.row_begin));
}

void FactorTasks::bind(const Task& task) {
  using Bind = void (FactorTasks::*)(const Task&);
  static constexpr std::array<Bind, task_kinds> bind_as{
      // by kind; tasks of the solve are not bound here
      &FactorTasks::bind_diagonal, &FactorTasks::bind_factor,   &FactorTasks::bind_update,
      &FactorTasks::bind_subtree,  &FactorTasks::bind_assemble, &FactorTasks::bind_reduce,
      &FactorTasks::bind_fill};
  (this->*bind_as[static_cast<std::size_t>(task.kind)])(task);
}

Shape FactorTasks::shape_of(const Task& task, Index m, Index n, Index k) const {
  Shape shape{task.kind, m, n, k, task.flops, task.seconds, task.kernels};
  if (task.kind == TaskKind::subtree) {
    shape.row = shape.column = graph_.cut.groups[task.group].panel_end - 1;
  } else {
    shape.row = structure_.panel_with(rows_of(tile(task.target)).front());
    shape.column = tile(task.target).panel;
  }
  const bool reads = task.contribution < 0 || task.kind == TaskKind::reduce;
  if (!reads) shape.device = graph_.contribution[task.contribution].device;
  if (graph_.levels.level.empty()) return shape;
  if (task.kind == TaskKind::fill) {
    place_first(shape);
  } else {
    place(source_of(task), shape);
  }
  return shape;
}

Index FactorTasks::source_of(const Task& task) const {
  if (task.group >= 0) return graph_.cut.groups[task.group].panel_begin;
  return graph_.source_of(task);
}

void FactorTasks::place(Index source, Shape& shape) const {
  shape.level = graph_.levels.level[source];
  shape.l_partition = graph_.levels.l_partition[shape.level];
  shape.w_partition = graph_.levels.w_partition[source];
}

void FactorTasks::place_first(Shape& shape) const {
  shape.level = 0;
  shape.l_partition = graph_.levels.l_partition.front();
  shape.w_partition = 0;
}

void FactorTasks::bind_diagonal(const Task& task) {
  const Tile& target = tile(task.target);
  const Index width = structure_.width(target.panel);
  const auto& bound = diagonal_.emplace_back(
      DiagonalTask{{{&context_}, &lazy_[task.target]}, structure_.panel_begin[target.panel]});
  const std::array accesses{Access{task.target, AccessMode::read_write}};
  list_.append(shape_of(task, width, width, width), bound, accesses, task.priority);
}

void FactorTasks::bind_factor(const Task& task) {
  const Tile& target = tile(task.target);
  const Index width = structure_.width(target.panel);
  const auto& bound = factor_.emplace_back(
      FactorTask{{{&context_}, &lazy_[task.target]}, {task.rows.begin - target.row_begin}});
  const std::array accesses{Access{task.target, AccessMode::read_write},
                            Access{task.right, AccessMode::read}};
  list_.append(shape_of(task, task.rows.size(), width, width), bound,
               std::span(accesses).first(task.right == task.target ? 1 : 2), task.priority);
}

UpdateTask FactorTasks::update_of(const Task& task) {
  const Target target = target_of(task);
  const Index source_panel = tile(task.left).panel;
  const auto source = structure_.rows(source_panel);
  UpdateTask arguments{{{&context_}, target.lazy}};
  arguments.target_rows = target.rows;
  arguments.target_column = structure_.panel_begin[tile(task.target).panel];
  arguments.source_rows = source.subspan(task.rows.begin, task.rows.size());
  arguments.source_columns = source.subspan(task.columns.begin, task.columns.size());
  arguments.source_column = structure_.panel_begin[source_panel];
  arguments.left_row = task.rows.begin - tile(task.left).row_begin;
  arguments.right_row = task.columns.begin - tile(task.right).row_begin;
  arguments.lower = task.rows.begin == task.columns.begin;
  return arguments;
}

namespace {

/// Calls f(tile) once for each tile that the parts of a fused update access as their member `tile`.
/// Parts with the same tile must be consecutive.
template <class F>
void for_each_tile_once(std::span<const Task> parts, Index Task::*tile, F f) {
  Index last = -1;
  for (const Task& part : parts) {
    if (part.*tile != last) f(part.*tile);
    last = part.*tile;
  }
}

}  // namespace

void FactorTasks::bind_fused(const Task& task) {
  const std::span<const Task> parts = graph_.parts(task);
  UpdateTask arguments = update_of(task);
  const Tile& first = tile(parts.front().target);
  const Tile& last = tile(parts.back().target);
  arguments.target_rows = rows_of(Tile{first.panel, first.row_begin, last.row_end});
  accesses_.clear();
  const std::size_t pieces = piece_.size();
  for_each_tile_once(parts, &Task::target, [&](Index t) {
    const Tile& own = tile(t);
    piece_.push_back({&lazy_[t], {own.row_begin - first.row_begin, own.row_end - first.row_begin}});
    accesses_.push_back({t, update_mode_});
  });
  arguments.pieces = std::span(piece_).subspan(pieces);
  for_each_tile_once(parts, &Task::left, [&](Index t) {
    accesses_.push_back({t, AccessMode::read});
  });
  arguments.right_apart = task.right != task.left;
  if (arguments.right_apart) accesses_.push_back({task.right, AccessMode::read});
  const Index inner = structure_.width(tile(task.left).panel);
  list_.append(shape_of(task, task.rows.size(), task.columns.size(), inner),
               update_.emplace_back(arguments), accesses_, task.priority);
}

void FactorTasks::bind_update(const Task& task) {
  if (task.fused) return bind_fused(task);
  accesses_.clear();
  const std::size_t first = update_.size();
  Index columns = 0;
  for (const Task& part : graph_.parts(task)) {
    update_.push_back(update_of(part));
    if (update_.size() > first + 1) update_[update_.size() - 2].next = &update_.back();
    accesses_.push_back({target_of(part).data, update_mode_});
    columns += part.columns.size();
  }
  accesses_.push_back({task.left, AccessMode::read});
  if (task.right != task.left) accesses_.push_back({task.right, AccessMode::read});
  const Index inner = structure_.width(tile(task.left).panel);
  Shape shape = shape_of(task, task.rows.size(), columns, inner);
  if (update_[first].lower) shape.square = task.columns.size();
  list_.append(shape, update_[first], accesses_, task.priority);
}

void FactorTasks::bind_subtree(const Task& task) {
  const auto& group = graph_.cut.groups[task.group];
  const auto& bound =
      subtree_.emplace_back(SubtreeTask{{&context_}, group.panel_begin, group.panel_end});
  const std::array accesses{Access{graph_.group_data(task.group), AccessMode::write}};
  const Index columns =
      structure_.panel_begin[group.panel_end] - structure_.panel_begin[group.panel_begin];
  list_.append(
      shape_of(task, graph_.cut.external_size(group), columns, static_cast<Index>(task.inner)),
      bound, accesses, task.priority);
}

void FactorTasks::bind_assemble(const Task& task) {
  const auto& group = graph_.cut.groups[task.group];
  const Target target = target_of(task);
  AssembleTask arguments{{{&context_}, target.lazy}};
  arguments.panel = tile(task.target).panel;
  arguments.target_rows = target.rows;
  arguments.panel_begin = group.panel_begin;
  arguments.panel_end = group.panel_end;
  const std::array accesses{Access{target.data, update_mode_},
                            Access{graph_.group_data(task.group), AccessMode::read}};
  list_.append(shape_of(task, static_cast<Index>(target.rows.size()),
                        structure_.width(arguments.panel), static_cast<Index>(task.inner)),
               assemble_.emplace_back(arguments), accesses, task.priority);
}

void FactorTasks::bind_fill(const Task& task) {
  const Target target = target_of(task);
  const auto& bound = fill_.emplace_back(FillTask{{{&context_}, target.lazy}});
  const std::array accesses{Access{target.data, AccessMode::write}};
  list_.append(shape_of(task, static_cast<Index>(target.rows.size()),
                        structure_.width(tile(task.target).panel), 1),
               bound, accesses, task.priority);
}

void FactorTasks::bind_reduce(const Task& task) {
  const auto rows = graph_.rows_of(graph_.contribution[task.contribution]);
  const Target target = target_of(task);
  const auto& bound =
      reduce_.emplace_back(ReduceTask{{{&context_}, target.lazy}, target.rows, rows});
  const std::array accesses{Access{target.data, update_mode_},
                            Access{graph_.contribution_data(task.contribution), AccessMode::read}};
  list_.append(
      shape_of(task, static_cast<Index>(rows.size()), structure_.width(tile(task.target).panel), 1),
      bound, accesses, task.priority);
}

}  // namespace espalier::internal
