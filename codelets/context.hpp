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
#include "base/uninitialized.hpp"
#include "codelets/entries.hpp"
#include "codelets/kernels.hpp"
#include "codelets/pivot_signs.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// The first column whose pivot check failed, in the numbering of L. All tasks of a factorization
/// share the object. Tasks that start after a failure return at once.
class Failure {
 public:
  void reset() noexcept { column_.store(none, std::memory_order_relaxed); }

  /// Records a failed column; keeps the smallest one.
  void report(Index column) noexcept {
    Index seen = column_.load(std::memory_order_relaxed);
    while (column < seen && !column_.compare_exchange_weak(seen, column)) {
    }
  }
  /// Records that another process failed, so that the data received from that process are not
  /// valid.
  void report_elsewhere() noexcept { report(elsewhere); }
  bool happened() const noexcept { return column_.load(std::memory_order_relaxed) != none; }
  /// Returns the column whose pivot check failed, or -1 if none failed in this process.
  Index column() const noexcept {
    const Index column = column_.load();
    return column < elsewhere ? column : -1;
  }

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();
  static constexpr Index elsewhere = none - 1;
  std::atomic<Index> column_{none};
};

/// Mark of a task that was skipped because of a failure: the first entry of the data that it should
/// have written. It is a NaN that no arithmetic produces. Other ranks and processes recognize the
/// failure by it.
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

/// Share of one worker in a task that `size` workers run together. Each works on its own rows of
/// the data that the task writes.
struct Slice {
  Index rank = 0;
  Index size = 1;
};

struct RowRange {
  Index begin = 0;
  Index end = 0;
};

/// Rows are divided in whole cache lines.
inline constexpr Index slice_unit = scalar.entries_of_line();

/// Returns the rows of a slice. The slices of `rows` rows have nearly equal numbers of entries. Row
/// i of the first `triangle` rows has i + 1 entries (the lower triangle on top of a trapezoid), and
/// later rows have `triangle` entries. With `triangle` = 0, all rows have equally many.
RowRange rows_of_slice(Slice slice, Index rows, Index triangle = 0);
/// Returns the number of entries of such a slice as a share of all entries. It is 0 if the slice
/// has no rows.
double share_of_slice(Slice slice, Index rows, Index triangle = 0);

/// Scratch memory and counters of one worker. Allocated once, before any task runs.
struct Workspace {
  Index worker = 0;                       ///< number of the worker
  Buffer buffer;                          ///< size: update_buffer_entries
  UninitializedVector<Index> position;    ///< for each row of L, its position in the current panel
  UninitializedVector<Index> row_map;     ///< size: rows of the tallest panel
  UninitializedVector<Index> column_map;  ///< same size
  std::vector<double> vectors;            ///< gathered rows of right-hand sides
  std::vector<MatrixView> data;           ///< data of a task that StarPU does not run by itself

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
  /// End of the last task as the host saw it, for tasks that the device does not time.
  double free_since = 0;

  /// Enlarges the maps for lists of this many rows, and for row numbers below `rows`.
  void reserve_maps(std::size_t rows) {
    for (auto* const map : {&position, &row_map, &column_map}) {
      if (map->size() < rows) map->resize(rows);
    }
  }
};

/// Worker and time of a task's last run, in seconds of the context's clock.
struct TaskRecord {
  Index worker = -1;  ///< -1 before the first run
  double begin = 0;
  double end = 0;
  Index slices = 1;  ///< workers that ran it together; the times are those of the first worker
  bool on_device = false;  ///< whether the worker belongs to a device
};

/// Memory of the host, and full copies of it on devices.
struct CopiedMemory {
  std::span<const std::byte> here{};
  std::vector<const std::byte*> there{};  ///< by CUDA's number of the device; null: no copy

  /// Returns the device's copy of a part of the memory. Returns null if the device has no copy or
  /// if `part` does not belong to the memory.
  template <class T>
  const T* of(std::span<const T> part, Index device) const {
    const auto* const begin = reinterpret_cast<const std::byte*>(part.data());
    const bool is_part = begin >= here.data() && begin < here.data() + here.size();
    if (!is_part || device >= std::ssize(there) || there[device] == nullptr) return nullptr;
    return reinterpret_cast<const T*>(there[device] + (begin - here.data()));
  }
};

/// State that all tasks of one factor share. It must outlive them.
struct FactorContext {
  const PanelStructure* structure = nullptr;
  PanelEntries entries;
  const double* value = nullptr;  ///< values of A, in the order of its pattern
  PivotSigns signs;
  /// Number of the current factorization; tiles that were filled in another one are stale.
  int epoch = 0;
  Failure failure;
  DeviceBudget device_budget;
  const Kernels* kernels = &cpu::kernels;  ///< kernels of CPU workers
  std::vector<Workspace> workspace;        ///< one per worker
  Stopwatch clock;                         ///< starts with the last factorization
  CopiedMemory messages;                   ///< payloads whose lists CUDA devices read
  /// Whether the clocks of CUDA devices measure each task, which costs two more kernels per task.
  /// Otherwise the host measures the tasks.
  bool times_devices = false;

  /// Sets rows of the panel to the entries of the matrix that is factored, and to zero elsewhere.
  void fill_part(PanelPart part, MatrixView target) const {
    fill(entries, value, part, target);
    signs.add_shift(part.first_column, part.row_begin, target);
  }
  /// Returns whether tasks must return without work, because another task failed or because data
  /// did not fit on a device.
  bool has_failed() {
    if (device_budget.exceeded) failure.report_elsewhere();
    return failure.happened();
  }
};

/// The kernels, workspace and slice of a worker that runs a task.
struct Worker {
  const Kernels& kernels;
  Workspace& workspace;
  Slice slice{};
};

/// A tile that its first writer initializes: from the entries of A, or with zeros if it is a
/// contribution.
struct LazyTile {
  PanelPart part;
  int epoch = 0;
  /// Number of filled slices in the low half, their epoch in the high half.
  std::uint64_t slices_filled = 0;
  bool from_zero = false;

  void fill_once(const FactorContext& context, MatrixView tile) {
    fill_once(context, tile, {0, tile.rows}, {});
  }
  /// Records that an accelerator has filled the tile.
  void note_filled(const FactorContext& context) { epoch = context.epoch; }
  /// Initializes the rows of one slice of a task. Every slice must call this, and together their
  /// rows must cover the tile. The tile counts as filled after the last call.
  void fill_once(const FactorContext& context, MatrixView tile, RowRange rows, Slice slice) {
    if (epoch == context.epoch) return;
    initialise(context, tile, rows);
    if (slice.size == 1 || count_slice(context.epoch) == slice.size) epoch = context.epoch;
  }

 private:
  void initialise(const FactorContext& context, MatrixView tile, RowRange rows) const {
    const MatrixView target = tile.row_range(rows.begin, rows.end - rows.begin);
    if (from_zero) return fill_zero(target);
    context.fill_part({part.first_column, part.row_begin + rows.begin}, target);
  }
  /// Returns the number of slices that have filled their rows in this epoch. The count restarts
  /// with each epoch, because a failure may have stopped some slices of an earlier factorization.
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

/// The data that a task writes: a contiguous range of its accesses. Before the task runs, these
/// data may have any content, including marks of an earlier failure, and other workers may use
/// them.
struct WrittenData {
  Index begin = 0;
  Index end = 0;

  TaskData of(TaskData data) const {
    return data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
};

/// Returns whether data that the task only reads carry the mark of a skipped task.
inline bool reads_mark_of_failure(TaskData data, WrittenData written) {
  return std::ranges::any_of(data.first(static_cast<std::size_t>(written.begin)),
                             is_marked_as_failed) ||
         std::ranges::any_of(data.subspan(static_cast<std::size_t>(written.end)),
                             is_marked_as_failed);
}

class MessageWriter;

/// Base of the arguments of all tasks. Each derived type has a member `run(data, worker)` that does
/// the task. A codelet calls it, or run_sequentially() calls it without StarPU. Derived types hide
/// the members below if these defaults do not fit, for example if accelerators can run the task.
struct Arguments {
  FactorContext* context = nullptr;

  /// Returns whether accelerators can run the task, which has this shape.
  bool is_for_accelerators(const Shape& /*shape*/) const { return false; }
  /// Writes the message for accelerators. Uses the maps of the workspace.
  void write(MessageWriter& /*message*/, Workspace& /*workspace*/) const {}
  /// Returns the number of results of an accelerator in addition to its seconds.
  Index results(const Shape& /*shape*/) const { return 0; }
  /// Returns the dense operations of the task, which has this shape.
  OperationCounts operations(const Shape& /*shape*/) const { return {}; }
  /// Finishes the task on the host after an accelerator has run it and returned this result.
  void take_result(std::span<const double> /*result*/) const {}
};

/// Base of the arguments of a task that writes a tile of L, or a contribution to one.
struct TileArguments : Arguments {
  LazyTile* tile = nullptr;

  /// Returns whether accelerators can run the task. They must not be the first to write a
  /// contribution, unless it is a shadow, which a separate task sets to zero.
  bool is_for_accelerators(const Shape& shape) const {
    return !tile->from_zero || shape.device >= 0;
  }
};

}  // namespace espalier::internal
