// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "schedulers/decide/task_facts.hpp"

namespace espalier {

/// Workers as the cells of a grid, numbered down its columns.
struct WorkerGrid {
  Index rows = 1;
  Index columns = 1;
  Index size() const { return rows * columns; }
};

/// Of all grids with exactly so many cells the most square one, at least as wide as it is tall.
inline WorkerGrid most_square_grid(Index workers) {
  WorkerGrid grid{1, workers};
  for (Index rows = 2; rows * rows <= workers; ++rows) {
    if (workers % rows == 0) grid = {rows, workers / rows};
  }
  return grid;
}

/// The 2D block-cyclic map of block B(row, column) to a cell. Columns are dealt in runs of as many
/// as the grid has rows: were they dealt one by one, the diagonal blocks would meet only
/// lcm(rows, columns) of the cells.
inline Index owner_of_block(const WorkerGrid& grid, Index row, Index column) {
  return row % grid.rows + grid.rows * (column / grid.rows % grid.columns);
}

/// Static owners of tasks: the fan-out method of symPACK (Jacquelin, Zheng, Ng, Yelick: An
/// asynchronous task-based fan-both sparse Cholesky solver, 2016), where each task belongs to the
/// owner of the block that it writes.
class FanoutMap {
 public:
  explicit FanoutMap(const WorkerGrid& grid) : grid_(grid) {}

  /// The owner of what the task writes: by its block; by its place in one dimension where only that
  /// is known; else, for other data, the cell that it was given when it was first met, in turn.
  /// None where the task writes nothing.
  std::optional<Index> owner(const TaskFacts& task) {
    if (task.row >= 0 && task.column >= 0) return owner_of_block(grid_, task.row, task.column);
    if (task.row >= 0) return task.row % grid_.size();
    if (task.written == nullptr) return std::nullopt;
    const auto next = static_cast<Index>(owner_of_data_.size()) % grid_.size();
    return owner_of_data_.try_emplace(task.written, next).first->second;
  }

 private:
  WorkerGrid grid_;
  std::unordered_map<const void*, Index> owner_of_data_;
};

/// The cell with the fewest tasks, the first of them.
inline Index least_loaded(std::span<const Count> tasks) {
  return static_cast<Index>(std::min_element(tasks.begin(), tasks.end()) - tasks.begin());
}

/// From how many entries of its largest operand on an operation goes to a device.
struct DeviceThresholds {
  double potrf = 1500000;
  double trsm = 90000;
  double syrk = 200000;
  double gemm = 500000;
};

/// Whether the task is large enough for a device. Only dense operations of known size are.
inline bool is_for_device(const TaskFacts& task, const DeviceThresholds& from) {
  if (!task.ours) return false;
  const double m = task.m;
  const double n = task.n;
  const double k = task.k;
  switch (task.kind) {
    case TaskKind::diagonal: return n * n >= from.potrf;
    case TaskKind::factor: return m * n >= from.trsm;
    case TaskKind::update:
      return std::max({m * n, m * k, n * k}) >= (task.row == task.column ? from.syrk : from.gemm);
    default: return false;
  }
}

}  // namespace espalier
