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
#include "runtime/factor_tasks.hpp"
#include "runtime/memory_window.hpp"
#include "runtime/solve_tasks.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/transfers.hpp"

namespace espalier::internal {

/// What one process factors. The structure and the numbering outlive the factor; the ownership is
/// needed no longer than its construction takes.
struct NumericPart {
  PartView part;
  PanelEntries entries;  ///< where the entries of A that the process has go
  /// The number in the vectors of a solve of each column of the structure; none where it is the
  /// same.
  std::span<const Index> vector_row{};
};

/// How several ranks exchange parts of L.
struct RankExchange {
  TransferEngine& engine;
  Count window;  ///< bytes for what comes and goes; as many more as the largest of that needs
};

/// The memory of the part of L that a process has, the tasks of factorizations that work on it, and
/// what StarPU knows of it.
class FactorStorage {
 public:
  /// Allocates everything that factorizations need.
  FactorStorage(const StarpuInstance& starpu, NumericPart given, FactorPlan plan,
                bool deterministic, const KernelCost& cost,
                const std::optional<RankExchange>& exchange);
  FactorStorage(const FactorStorage&) = delete;
  FactorStorage& operator=(const FactorStorage&) = delete;

  const StarpuInstance& starpu() const { return starpu_; }
  const PanelStructure& structure() const { return structure_; }
  const KernelCost& cost() const { return cost_; }
  const FactorPlan& plan() const { return plan_; }
  /// Returns what moves data between several ranks; null in a process alone.
  TransferEngine* engine() const { return engine_; }
  FactorContext& context() { return context_; }
  const FactorContext& context() const { return context_; }
  std::span<const double> values() const { return values_.span(); }
  /// Returns the tasks of a factorization, and their data: tiles, groups and contributions.
  const TaskList& tasks() const { return tasks_->list(); }
  std::span<const DataView> tiles() const {
    return std::span(tasks().data).first(plan_.graph.tiling.tile.size());
  }
  const FactorReady& ready() const { return *ready_; }
  /// Returns what comes and goes between several ranks.
  const MemoryWindow& window() const { return *window_; }
  /// Returns what tasks take on devices; null where these take no part.
  const DeviceSeconds* device_seconds() const {
    return device_seconds_ ? &*device_seconds_ : nullptr;
  }

  /// Returns what travels in a factorization.
  Transfers transfers();
  /// Waits until all memory is pinned that is to be.
  void wait_for_pinned();
  /// Return what StarPU knows the data of tasks() by, its tiles, and ready(). The data are
  /// registered at the first call.
  std::span<const starpu_data_handle_t> handles();
  std::span<const starpu_data_handle_t> tile_handles() { return handles().first(tiles().size()); }
  std::span<const starpu_data_handle_t> ready_handle();

 private:
  /// Begins to pin the tiles, and of the window as much as is likely to be in use at once: it may
  /// be larger than all that is ever received.
  void pin_memory();
  /// Gives CUDA devices the messages of the tasks, once for all factorizations.
  void copy_messages();
  /// Lets devices run tasks.
  void offer_to_devices();

  const StarpuInstance& starpu_;
  const PanelStructure& structure_;
  TransferEngine* engine_;
  KernelCost cost_;
  FactorPlan plan_;
  Buffer values_;
  std::optional<MemoryWindow> window_;
  std::deque<PinnedMemory> pinned_;  ///< keeps pinned for CUDA devices what is copied there
  FactorContext context_;
  std::optional<FactorTasks> tasks_;
  std::optional<DeviceSeconds> device_seconds_;
  std::optional<cuda::DeviceCopies> device_messages_;  ///< where there are CUDA devices
  Handles handles_;
  std::optional<FactorReady> ready_;
  Handles ready_handle_;
};

}  // namespace espalier::internal
