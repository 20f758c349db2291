// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/block_grid.hpp"
#include "base/device_memory.hpp"
#include "espalier/types.hpp"
#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

/// Numbers of data by their addresses, in the order of their first use. Only the data that were
/// used last keep their numbers, at least `most` and at most twice as many, because a program that
/// runs for ever has new data all the time. Cost O(1).
class DataNumbers {
 public:
  static constexpr std::size_t most = 65536;

  Count of(const void* data) {
    if (const auto known = late_.find(data); known != late_.end()) return known->second;
    const auto early = early_.find(data);
    const Count number = early != early_.end() ? early->second : met_++;
    if (late_.size() == most) early_ = std::exchange(late_, {});
    late_.emplace(data, number);
    return number;
  }
  std::size_t size() const { return early_.size() + late_.size(); }

 private:
  std::unordered_map<const void*, Count> early_;
  std::unordered_map<const void*, Count> late_;
  Count met_ = 0;
};

/// Static owners of tasks: the fan-out method of symPACK (Jacquelin, Zheng, Ng, Yelick: An
/// asynchronous task-based fan-both sparse Cholesky solver, 2016), where each task belongs to the
/// owner of the block that it writes.
class FanoutMap {
 public:
  explicit FanoutMap(const BlockGrid& grid) : grid_(grid) {}

  /// Returns the owner of what the task writes: by its block, which is counted among those of the
  /// rank, since a grid of ranks gives each the blocks of a few residues, that a grid of workers
  /// with the same ones would give to a few workers; by its place in one dimension where only that
  /// is known; else by the number of the data (DataNumbers), in turn.
  /// None where the task writes nothing.
  std::optional<Index> owner(const TaskFacts& task) {
    if (task.own_row >= 0) return owner_of_block(grid_, task.own_row, task.own_column);
    if (task.row >= 0 && task.column >= 0) return owner_of_block(grid_, task.row, task.column);
    if (task.row >= 0) return task.row % grid_.size();
    if (task.written == nullptr) return std::nullopt;
    return static_cast<Index>(data_.of(task.written) % grid_.size());
  }

 private:
  BlockGrid grid_;
  DataNumbers data_;
};

/// Returns the cell with the fewest tasks, the first of them.
inline Index least_loaded(std::span<const Count> tasks) {
  return static_cast<Index>(std::min_element(tasks.begin(), tasks.end()) - tasks.begin());
}

/// When an operation goes to a device: from so many entries of its largest operand on (Bellavita et
/// al., symPACK, 2023, section 4.2), or, where that is only for what was not measured, if it is
/// predicted to be done sooner there, with that operand on its way (section 6 of that paper, "an
/// analytical framework for determining the optimal GPU threshold sizes").
struct DeviceThreshold {
  double entries;
  bool unless_measured = false;
};

/// The thresholds of all operations, with the numbers of symPACK's program.
struct DeviceThresholds {
  DeviceThreshold potrf{1500000};
  DeviceThreshold trsm{90000};
  DeviceThreshold syrk{200000};
  DeviceThreshold gemm{500000};
  DeviceThreshold solve_trsm = trsm;
  DeviceThreshold solve_gemm = gemm;
  /// For tasks of other programs, of which only the data are known: entries of the largest piece.
  DeviceThreshold foreign = gemm;
};

/// Returns whether an operation, with so many entries of its largest operand, is for a device. A
/// prediction is that of the whole task that does it.
inline bool pays_on_device(const TaskFacts& task, const DeviceThreshold& from, double entries) {
  if (!from.unless_measured || !task.device_measured) return entries >= from.entries;
  return task.device_seconds > 0 && task.device_seconds + task.device_copy < task.seconds;
}

/// Returns whether the task is large enough for a device. Of ours only dense operations of known
/// size are, tasks of other programs by the largest piece of their data. A task that does two of
/// them goes there if one does: an update by a panel is a SYRK where it meets the diagonal and a
/// GEMM below, a step of a solve is a TRSM with the triangle of L and a GEMM with the rows below,
/// each with operands of its own.
inline bool is_for_device(const TaskFacts& task, const DeviceThresholds& from) {
  if (!task.ours) return pays_on_device(task, from.foreign, task.entries);
  const double m = task.m;
  const double n = task.n;
  const double k = task.k;
  const double square = task.square;
  const double rest = m - square;
  const bool has_rest = rest > 0;
  const double largest_of_rest = std::max({rest * n, rest * k, n * k});
  switch (task.kind) {
    case TaskKind::diagonal: return pays_on_device(task, from.potrf, n * n);
    case TaskKind::factor: return pays_on_device(task, from.trsm, m * n);
    case TaskKind::update:
      return (square > 0 && pays_on_device(task, from.syrk, square * std::max(square, k))) ||
             (has_rest && pays_on_device(task, from.gemm, largest_of_rest));
    case TaskKind::forward:
    case TaskKind::backward:
      if (task.row < 0) return false;
      return (square > 0 && pays_on_device(task, from.solve_trsm, square * std::max(square, n))) ||
             (has_rest && pays_on_device(task, from.solve_gemm, largest_of_rest));
    default: return false;
  }
}

/// The devices of tasks: those that write one block column share one, so that what they add to
/// stays there. (symPACK has one device a rank, which owns the block.) Other data get one in turn.
class DeviceMap {
 public:
  explicit DeviceMap(Index devices) : columns_(BlockGrid{1, devices}) {}

  /// Returns the number of the device, from 0 on.
  Index device(TaskFacts task) {
    task.own_row = -1;
    return columns_.owner(task).value_or(0);
  }

 private:
  FanoutMap columns_;
};

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
