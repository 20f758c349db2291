// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "base/buffer.hpp"
#include "codelets/context.hpp"
#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"
#include "runtime/factor_tasks.hpp"
#include "runtime/handles.hpp"
#include "runtime/messenger.hpp"
#include "runtime/pinned_memory.hpp"
#include "runtime/solve_tasks.hpp"
#include "runtime/starpu_instance.hpp"
#include "solver/plan.hpp"
#include "solver/task_runner.hpp"

namespace espalier {

/// How one of several ranks factors its part: the cut of its domain, tiles and tasks. `automatic`
/// tiles shared panels where more than two ranks are to find work in them. The granularity is that
/// of all ranks, whatever their workers.
/// With `offloads` accelerators are among the workers; `halo` says how this rank's updates are
/// divided, where that is planned.
FactorPlan plan_rank(const LocalStructure& structure, Index workers, const FactorOptions& options,
                     const KernelCost& cost, bool offloads = false,
                     const std::optional<OffloadOptions>& halo = std::nullopt);

/// How all ranks tile shared panels.
TileLimits rank_tiles(const FactorOptions& options, Index ranks);

/// What one of several ranks keeps, in bytes.
struct RankBytes {
  Count factor = 0;       ///< its part of L
  Count mean_factor = 0;  ///< of all ranks
  Count matrix = 0;       ///< its part of A
  Count rest = 0;         ///< what else grows with the problem
};

/// What the contributions that a rank makes and what it receives may take in memory at once, where
/// there are several: so much that a rank takes no more than 1.3 times the mean part of L and twice
/// its part of A, and no more than is of use, but the largest group of each sort at least.
Count window_bytes(const RankBytes& kept, const TaskGraph& graph);

/// The part of L that one of several ranks keeps, with its bound tasks and messages.
class RankFactor {
 public:
  /// Allocates everything, for what comes and goes so many bytes or as many more as the largest of
  /// that needs. `entries` are those of the local columns, in the order of `structure`, which
  /// outlives the object.
  RankFactor(const StarpuInstance& starpu, Messenger& messenger, const LocalStructure& structure,
             PanelEntries entries, FactorPlan plan, Count window, bool deterministic);
  ~RankFactor();
  RankFactor(const RankFactor&) = delete;
  RankFactor& operator=(const RankFactor&) = delete;

  /// Starts this rank's part of a factorization with values of A, which live until wait().
  void submit_factorize(const double* values);
  /// Waits for this rank's tasks and messages. Collective. The smallest column of the whole L, on
  /// whatever rank, whose pivot failed, or -1.
  Index wait();

  const FactorPlan& plan() const { return plan_; }
  /// Tiles, groups, contributions; a view without memory is of data that comes and goes.
  std::span<const MatrixView> data() const { return tasks_->list().data; }
  /// Of these, but for shadows.
  std::span<const starpu_data_handle_t> handles() const { return handles_.all(); }
  std::span<const BoundTask> factor_tasks() const { return tasks_->list().task; }
  FactorContext& context() { return context_; }
  const MemoryWindow& window() const { return window_; }
  /// Panels of the domain as the structure places them.
  const double* values() const { return values_.data(); }

 private:
  const LocalStructure& structure_;
  Messenger& messenger_;
  FactorPlan plan_;
  Buffer values_;
  std::optional<PinnedMemory> pinned_;  ///< of the values, for devices
  FactorContext context_;
  std::optional<FactorTasks> tasks_;
  Handles handles_;
  Handles shadows_;
  MemoryWindow window_;
  // Where accelerators take part: brings home what they wrote.
  std::optional<FactorReady> home_;
  Handles home_handle_;
  TaskRunner runner_;
};

}  // namespace espalier
