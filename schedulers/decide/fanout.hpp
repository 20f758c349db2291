// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/block_grid.hpp"
#include "base/device_memory.hpp"
#include "espalier/types.hpp"
#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

/// Static owners of tasks: the fan-out method of symPACK (Jacquelin, Zheng, Ng, Yelick: An
/// asynchronous task-based fan-both sparse Cholesky solver, 2016), where each task belongs to the
/// owner of the block that it writes.
class FanoutMap {
 public:
  explicit FanoutMap(const BlockGrid& grid) : grid_(grid) {}

  /// Returns the owner of what the task writes: by its block, which is counted among those of the
  /// rank, since a grid of ranks gives each the blocks of a few residues, that a grid of workers
  /// with the same ones would give to a few workers; by its place in one dimension where only that
  /// is known; else, for other data, the cell that it was given when it was first met, in turn.
  /// None where the task writes nothing.
  std::optional<Index> owner(const TaskFacts& task) {
    if (task.own_row >= 0) return owner_of_block(grid_, task.own_row, task.own_column);
    if (task.row >= 0 && task.column >= 0) return owner_of_block(grid_, task.row, task.column);
    if (task.row >= 0) return task.row % grid_.size();
    if (task.written == nullptr) return std::nullopt;
    const auto next = static_cast<Index>(owner_of_data_.size()) % grid_.size();
    return owner_of_data_.try_emplace(task.written, next).first->second;
  }

 private:
  BlockGrid grid_;
  std::unordered_map<const void*, Index> owner_of_data_;
};

/// Returns the cell with the fewest tasks, the first of them.
inline Index least_loaded(std::span<const Count> tasks) {
  return static_cast<Index>(std::min_element(tasks.begin(), tasks.end()) - tasks.begin());
}

/// An operation goes to a device from so many entries of its largest operand on.
struct DeviceThresholds {
  double potrf = 1500000;
  double trsm = 90000;
  double syrk = 200000;
  double gemm = 500000;
};

/// Returns whether the task is large enough for a device. Only dense operations of known size are.
inline bool is_for_device(const TaskFacts& task, const DeviceThresholds& from) {
  if (!task.ours) return false;
  const double entries = largest_operand(task);
  switch (task.kind) {
    case TaskKind::diagonal: return entries >= from.potrf;
    case TaskKind::factor: return entries >= from.trsm;
    case TaskKind::update: return entries >= (task.row == task.column ? from.syrk : from.gemm);
    case TaskKind::forward:
    case TaskKind::backward: return task.row >= 0 && entries >= from.trsm;
    default: return false;
  }
}

/// Returns the device, of so many, that takes a task: those that write one block column share one,
/// so that what they add to stays there. (symPACK has one device a rank, which owns the block.)
inline Index device_of(const TaskFacts& task, Index devices) { return task.column % devices; }

/// What a runtime system knows of the memory of a device now, in bytes.
struct MemoryState {
  double total = DeviceMemory::unlimited;  ///< what it may use
  double used = 0;
};

/// Returns the bytes that the data of a factor may have on a device, which has so many of it: what
/// the user allows, else (negative) what is there beside the data of others.
inline double room_on_device(double allowed, const MemoryState& device, Count own) {
  if (allowed >= 0) return allowed;
  return device.total - std::max(0.0, device.used - static_cast<double>(own));
}

}  // namespace espalier::internal
