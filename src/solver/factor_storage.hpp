// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "base/memory.hpp"
#include "codelets/cuda/functions.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/local_structure.hpp"
#include "plan/device_seconds.hpp"
#include "plan/plan.hpp"
#include "runtime/buffer_pool.hpp"
#include "runtime/factor_tasks.hpp"
#include "runtime/solve_tasks.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/ordered_run.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/transfers.hpp"

namespace espalier::internal {

/// The part of a matrix that one process factors. The structure of `part` and `vector_row` must
/// outlive the factor. The ownership of `part` is only needed during construction.
struct NumericPart {
  PartView part;
  PanelEntries entries;  ///< position in L of each entry of A that the process has
  /// For each column of the structure, its row in the vectors of a solve. Empty if each row
  /// has the number of its column.
  std::span<const Index> vector_row{};
};

/// Exchange of parts of L between several ranks.
struct RankExchange {
  TransferEngine& engine;
  Count pool;  ///< minimum size of the buffer pool in bytes; the largest groups may enlarge it
  Index series = 0;  ///< of the messages of this factor, which may be pending beside others
};

/// Memory of the part of L of one process, the tasks of its factorization, and their registration
/// in StarPU.
class FactorStorage {
 public:
  /// Allocates all memory that factorizations need.
  FactorStorage(const StarpuInstance& starpu, NumericPart given, FactorPlan plan,
                bool deterministic, const KernelCost& cost,
                const std::optional<RankExchange>& exchange);
  FactorStorage(const FactorStorage&) = delete;
  FactorStorage& operator=(const FactorStorage&) = delete;

  const StarpuInstance& starpu() const { return starpu_; }
  const PanelStructure& structure() const { return structure_; }
  const KernelCost& cost() const { return cost_; }
  const FactorPlan& plan() const { return plan_; }
  /// Returns the engine that moves data between ranks, or null if there is only one process.
  TransferEngine* engine() const { return engine_; }
  FactorContext& context() { return context_; }
  const FactorContext& context() const { return context_; }
  std::span<const double> values() const { return values_.span(); }
  /// Returns the tasks of a factorization with their data: tiles, groups and contributions.
  const TaskList& tasks() const { return tasks_->list(); }
  std::span<const DataView> tiles() const {
    return std::span(tasks().data).first(plan_.graph.tiling.tile.size());
  }
  const FactorReady& ready() const { return *ready_; }
  /// Returns the buffer pool for data that ranks exchange.
  const BufferPool& pool() const { return *pool_; }
  /// Returns the predicted times of tasks on devices, or null if devices run no tasks.
  const DeviceSeconds* device_seconds() const {
    return device_seconds_ ? &*device_seconds_ : nullptr;
  }

  /// Returns the messages of a factorization, with their engine and buffer pool.
  Transfers transfers();
  /// Returns messages that need no memory of the buffer pool, with their engine.
  Transfers transfers_of(std::span<const Message> messages) const {
    return {.message = messages, .engine = engine_, .series = series_};
  }
  /// Returns the run of tasks(), or null if StarPU gets them with their data.
  OrderedRun* run() { return run_ ? &*run_ : nullptr; }
  /// Returns whether StarPU gets tasks when they are ready, without their data: all workers share
  /// one memory, there are no other ranks, and the policy does not look ahead.
  bool submits_when_ready() const;
  /// Waits until the pinning of memory that the constructor started has ended.
  void wait_for_pinned();
  /// Return the handles of the data of tasks() or of its batches, of its tiles, and of ready(). The
  /// first call registers the data. Tiles have handles only without batches.
  std::span<const starpu_data_handle_t> handles();
  std::span<const starpu_data_handle_t> tile_handles() { return handles().first(tiles().size()); }
  std::span<const starpu_data_handle_t> ready_handle();

 private:
  /// Starts to pin the tiles, and the part of the buffer pool that is likely to be in use at once.
  /// The whole pool may be larger than all received data together.
  void pin_memory();
  /// Copies the messages of the tasks to CUDA devices, once for all factorizations.
  void copy_messages();
  /// Returns the data of tasks(), or of its batches.
  std::span<const DataView> data_for_starpu() const;
  /// Lets devices run tasks.
  void offer_to_devices();

  const StarpuInstance& starpu_;
  const PanelStructure& structure_;
  TransferEngine* engine_;
  Index series_;
  KernelCost cost_;
  FactorPlan plan_;
  Buffer values_;
  std::optional<BufferPool> pool_;
  std::deque<PinnedMemory> pinned_;  ///< host memory that CUDA devices copy from or to
  FactorContext context_;
  std::optional<FactorTasks> tasks_;
  std::optional<OrderedRun> run_;
  std::optional<DeviceSeconds> device_seconds_;
  std::optional<cuda::DeviceCopies> device_messages_;  ///< set if there are CUDA devices
  Handles handles_;
  std::optional<FactorReady> ready_;
  Handles ready_handle_;
};

}  // namespace espalier::internal
