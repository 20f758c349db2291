// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/dense.hpp"
#include "base/device_budget.hpp"
#include "base/memory.hpp"
#include "base/operations.hpp"
#include "base/panel_structure.hpp"
#include "base/scalar.hpp"
#include "base/shape.hpp"
#include "base/task_kind.hpp"
#include "codelets/entries.hpp"
#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// The first column, in the numbering of L, whose pivot failed; shared by all tasks of a
/// factorization. Tasks that start after a failure return at once.
class Failure {
 public:
  void reset() noexcept { column_.store(none, std::memory_order_relaxed); }

  /// Keeps the smallest column reported.
  void report(Index column) noexcept {
    Index seen = column_.load(std::memory_order_relaxed);
    while (column < seen && !column_.compare_exchange_weak(seen, column)) {
    }
  }
  /// Another process failed, so that what comes from there has no content.
  void report_elsewhere() noexcept { report(elsewhere); }
  bool happened() const noexcept { return column_.load(std::memory_order_relaxed) != none; }
  /// Returns the column whose pivot failed, -1 where none failed here.
  Index column() const noexcept {
    const Index column = column_.load();
    return column < elsewhere ? column : -1;
  }

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();
  static constexpr Index elsewhere = none - 1;
  std::atomic<Index> column_{none};
};

/// What a task that is not run, because another one has failed, leaves as the first entry of what
/// it would have written: a NaN that no arithmetic makes. By it other ranks and processes learn of
/// the failure.
inline constexpr double failure_mark = std::bit_cast<double>(std::uint64_t{0x7ff8'e59a'11e7'fa11});

inline bool is_failure_mark(double entry) {
  return std::bit_cast<std::uint64_t>(entry) == std::bit_cast<std::uint64_t>(failure_mark);
}
inline void mark_as_failed(MatrixView written) {
  if (written.data && written.rows > 0) *written.data = failure_mark;
}
inline bool is_marked_as_failed(MatrixView read) {
  return read.data && read.rows > 0 && is_failure_mark(*read.data);
}

/// The share of one worker in a task that `size` workers run together, each on its own rows of
/// what the task writes.
struct Slice {
  Index rank = 0;
  Index size = 1;
};

struct RowRange {
  Index begin = 0;
  Index end = 0;
};

/// Rows are shared out in whole cache lines.
inline constexpr Index slice_unit = scalar.entries_of_line();

/// Returns the rows of a slice, of `rows` in all, such that the slices have about as many entries
/// each: row i of the first `triangle` rows has i + 1 entries (the lower triangle on top of a
/// trapezoid), the others have `triangle`. Without a triangle all have the same number.
RowRange rows_of_slice(Slice slice, Index rows, Index triangle = 0);

/// What one worker needs beside the data of its task. Allocated once, before any task runs.
struct Workspace {
  Index worker = 0;               ///< whose it is
  Buffer buffer;                  ///< update_buffer_entries
  std::vector<Index> position;    ///< for each row of L, its place in the panel at hand
  std::vector<Index> row_map;     ///< as many as the tallest panel has rows
  std::vector<Index> column_map;  ///< as many
  std::vector<double> vectors;    ///< gathered rows of right-hand sides
  std::vector<MatrixView> data;   ///< what a task that runs without StarPU is given

  struct Tally {
    Count count = 0;
    double seconds = 0;
    double flops = 0;
    double predicted_seconds = 0;
    OperationCounts operations{};

    Tally& operator+=(const Tally& other) {
      count += other.count;
      seconds += other.seconds;
      flops += other.flops;
      predicted_seconds += other.predicted_seconds;
      operations += other.operations;
      return *this;
    }
  };
  std::array<Tally, task_kinds> tally{};
  double free_since = 0;  ///< when the last task of a device that has no clock was seen to end

  /// Makes room in the maps for lists of so many rows, and for numbers of rows below that.
  void reserve_maps(std::size_t rows) {
    for (auto* const map : {&position, &row_map, &column_map}) {
      if (map->size() < rows) map->resize(rows);
    }
  }
};

/// Where and when a task ran last, in seconds of the context's clock.
struct TaskRecord {
  Index worker = -1;  ///< -1 before the first run
  double begin = 0;
  double end = 0;
  Index slices = 1;        ///< workers that ran it together; the times are those of the first one
  bool on_device = false;  ///< which the worker is one of
};

/// Memory of the host, and the copies of all of it that devices have.
struct CopiedMemory {
  std::span<const std::byte> here{};
  std::vector<const std::byte*> there{};  ///< by CUDA's number of the device; null where none is

  /// Returns where the device has a part of the memory; null where it has no copy, or where this is
  /// no part of it.
  template <class T>
  const T* of(std::span<const T> part, Index device) const {
    const auto* const begin = reinterpret_cast<const std::byte*>(part.data());
    const bool is_part = begin >= here.data() && begin < here.data() + here.size();
    if (!is_part || device >= std::ssize(there) || there[device] == nullptr) return nullptr;
    return reinterpret_cast<const T*>(there[device] + (begin - here.data()));
  }
};

/// Shared by all tasks of one factor; outlives them.
struct FactorContext {
  const PanelStructure* structure = nullptr;
  PanelEntries entries;
  const double* value = nullptr;  ///< values of A, in the order of its pattern
  int epoch = 0;  ///< numbers the factorizations; tiles filled in another one are stale
  Failure failure;
  DeviceBudget device_budget;
  const Kernels* kernels = &cpu::kernels;  ///< those of CPU workers
  std::vector<Workspace> workspace;        ///< one a worker
  Stopwatch clock;                         ///< runs from the start of the last factorization
  CopiedMemory messages;                   ///< of the payloads whose lists CUDA devices read
  /// CUDA devices say by clocks of their own what each task takes there, which costs them two
  /// kernels more; else it is what the host sees.
  bool times_devices = false;

  /// Returns whether tasks are to do nothing from now on: another one failed, or what a device had
  /// to take did not fit.
  bool has_failed() {
    if (device_budget.exceeded) failure.report_elsewhere();
    return failure.happened();
  }
};

/// A worker at work on a task.
struct Worker {
  const Kernels& kernels;
  Workspace& workspace;
  Slice slice{};
};

/// A tile that is initialised from A, or as a contribution with zeros, by whichever task writes it
/// first.
struct LazyTile {
  PanelPart part;
  int epoch = 0;
  std::uint64_t slices_filled = 0;  ///< their number in the low half, their epoch in the high one
  bool from_zero = false;

  void fill_once(const FactorContext& context, MatrixView tile) {
    fill_once(context, tile, {0, tile.rows}, {});
  }
  /// An accelerator has done it.
  void note_filled(const FactorContext& context) { epoch = context.epoch; }
  /// The rows that one slice of the task writes or that follow them. All slices of the task have to
  /// call it, and together to cover the tile; it is filled only when the last one has done so.
  void fill_once(const FactorContext& context, MatrixView tile, RowRange rows, Slice slice) {
    if (epoch == context.epoch) return;
    initialise(context, tile, rows);
    if (slice.size == 1 || count_slice(context.epoch) == slice.size) epoch = context.epoch;
  }

 private:
  void initialise(const FactorContext& context, MatrixView tile, RowRange rows) const {
    const MatrixView target = tile.row_range(rows.begin, rows.end - rows.begin);
    if (from_zero) return fill_zero(target);
    fill(context.entries, context.value, {part.first_column, part.row_begin + rows.begin}, target);
  }
  /// A failure may have kept some slices of an earlier factorization from their work, so the count
  /// begins anew with each epoch.
  Index count_slice(int current) {
    std::atomic_ref<std::uint64_t> filled(slices_filled);
    const std::uint64_t none = static_cast<std::uint64_t>(current) << 32;
    std::uint64_t seen = filled.load();
    std::uint64_t next = 0;
    do {
      next = (seen < none ? none : seen) + 1;
    } while (!filled.compare_exchange_weak(seen, next));
    return static_cast<Index>(next - none);
  }
};

/// The data of a task, in the order of its accesses.
using TaskData = std::span<const MatrixView>;

/// Which data a task writes: neighbours in the order of its accesses. Before the task runs they may
/// hold anything, also marks of an earlier failure, and other workers may be at them.
struct WrittenData {
  Index begin = 0;
  Index end = 0;

  TaskData of(TaskData data) const {
    return data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
};

/// Returns whether data that the task only reads come from one that was not run.
inline bool reads_mark_of_failure(TaskData data, WrittenData written) {
  return std::ranges::any_of(data.first(static_cast<std::size_t>(written.begin)),
                             is_marked_as_failed) ||
         std::ranges::any_of(data.subspan(static_cast<std::size_t>(written.end)),
                             is_marked_as_failed);
}

class MessageWriter;

/// Begins the arguments of every task. What a task does is a member `run(data, worker)` of its
/// arguments, called by a codelet or, without StarPU, by the sequential executor. Arguments of
/// tasks that accelerators can run replace the members below by their own.
struct Arguments {
  FactorContext* context = nullptr;

  /// Says whether accelerators can run the task, which has this shape.
  bool is_for_accelerators(const Shape& /*shape*/) const { return false; }
  /// Writes the message for accelerators, with the help of the maps of the workspace.
  void write(MessageWriter& /*message*/, Workspace& /*workspace*/) const {}
  /// Returns the dense operations of the task, which has this shape.
  OperationCounts operations(const Shape& /*shape*/) const { return {}; }
  /// Does what is left to do on the host after an accelerator has run the task and returned this.
  void take_result(std::span<const double> /*result*/) const {}
};

/// Begins the arguments of a task that writes a tile of L, or a contribution to one.
struct TileArguments : Arguments {
  LazyTile* tile = nullptr;

  /// Accelerators may not be the first to write a contribution other than a shadow, which tasks of
  /// their own set to zero.
  bool is_for_accelerators(const Shape& shape) const {
    return !tile->from_zero || shape.device >= 0;
  }
};

}  // namespace espalier::internal
