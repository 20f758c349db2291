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

/// Numbers of data, in the order of first use, by address. Only recently used data keep their
/// numbers, so that a program that always creates new data does not fill the memory. Keeps the
/// numbers of the last `most` data used, and at most twice as many. Cost O(1).
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

/// Static owners of tasks by the fan-out method of symPACK: each task belongs to the owner of the
/// block that it writes (Jacquelin, Zheng, Ng, Yelick: An asynchronous task-based fan-both sparse
/// Cholesky solver, 2016).
class FanoutMap {
 public:
  explicit FanoutMap(const BlockGrid& grid) : grid_(grid) {}

  /// Returns the owner of the block that the task writes, or none if the task writes nothing.
  ///
  /// The blocks of each rank are numbered separately for this. Otherwise, if the grids of ranks and
  /// of workers are alike, a few workers would own all blocks of a rank. If only one coordinate of
  /// a block is known, the owner follows from it. If none is known, data get owners in turn
  /// (DataNumbers).
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

/// Returns the cell with the fewest tasks, the first one if several have equally few.
inline Index least_loaded(std::span<const Count> tasks) {
  return static_cast<Index>(std::min_element(tasks.begin(), tasks.end()) - tasks.begin());
}

/// Rule that sends an operation to a device if its largest operand has at least `entries` entries
/// (Bellavita et al., symPACK, 2023, section 4.2). With `unless_measured`, the rule holds only for
/// operations without measured times. A measured operation goes to a device if it is predicted to
/// end sooner there, including the copy of the largest operand (section 6 of that paper, "an
/// analytical framework for determining the optimal GPU threshold sizes").
struct DeviceThreshold {
  double entries;
  bool unless_measured = false;
};

/// Thresholds of all operations. The defaults are the numbers of symPACK's program.
struct DeviceThresholds {
  DeviceThreshold potrf{1500000};
  DeviceThreshold trsm{90000};
  DeviceThreshold syrk{200000};
  DeviceThreshold gemm{500000};
  DeviceThreshold solve_trsm = trsm;
  DeviceThreshold solve_gemm = gemm;
  /// For tasks of other programs: entries of the largest piece of data, because nothing else is
  /// known.
  DeviceThreshold foreign = gemm;
};

/// Returns whether an operation should run on a device. `entries` is the size of its largest
/// operand. Predicted times are those of the whole task.
inline bool pays_on_device(const TaskFacts& task, const DeviceThreshold& from, double entries) {
  if (!from.unless_measured || !task.device_measured) return entries >= from.entries;
  return task.device_seconds > 0 && task.device_seconds + task.device_copy < task.seconds;
}

/// Returns whether the task should run on a device, by pays_on_device(). Of Espalier's tasks, only
/// dense operations of known size may. The size of a task of another program is that of its largest
/// piece of data.
///
/// If a task does two operations, it goes to a device if one of them should. An update by
/// a panel is a SYRK on the diagonal and a GEMM below it. A step of a solve is a TRSM with the
/// triangle of L and a GEMM with the rows below. Each operation has its own operands.
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

/// The device of each task. Tasks that write the same block column share a device, so that their
/// sums stay there. Other data get a device in turn. (In symPACK each rank has one device, which
/// owns the block.)
class DeviceMap {
 public:
  explicit DeviceMap(Index devices) : columns_(BlockGrid{1, devices}) {}

  /// Returns the number of the device, from 0.
  Index device(TaskFacts task) {
    task.own_row = -1;
    return columns_.owner(task).value_or(0);
  }

 private:
  FanoutMap columns_;
};

/// Memory of a device at this moment as the runtime system reports it, in bytes.
struct MemoryState {
  double total = DeviceMemory::unlimited;  ///< usable memory
  double used = 0;
};

/// Returns the bytes that the data of a factor may occupy on a device. `allowed` is the user's
/// limit. If it is negative, the result is all memory that is free or that the factor itself uses.
/// `own` is the number of bytes that the factor occupies there now.
inline double bytes_allowed_on_device(double allowed, const MemoryState& device, Count own) {
  if (allowed >= 0) return allowed;
  return device.total - std::max(0.0, device.used - static_cast<double>(own));
}

}  // namespace espalier::internal
