// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "codelets/context.hpp"
#include "graph/shared_solve.hpp"
#include "graph/solve_tree.hpp"
#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"
#include "plan/memory.hpp"
#include "plan/plan.hpp"
#include "runtime/factor_tasks.hpp"
#include "runtime/mpi/messenger.hpp"
#include "runtime/solve_tasks.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/submission.hpp"

namespace espalier {

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
  /// Returns the handles of these, but for shadows.
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

/// One rank's part of the triangular solves with its part of L.
class RankSolver {
 public:
  /// All arguments outlive the object.
  RankSolver(const StarpuInstance& starpu, Messenger& messenger, const LocalStructure& structure,
             RankFactor& factor, const KernelCost& cost);
  ~RankSolver();
  RankSolver(const RankSolver&) = delete;
  RankSolver& operator=(const RankSolver&) = delete;

  /// Starts a solve after a factorization that was waited for, and after the solve before it. The
  /// vectors have local rows; b is read, and x written, where this rank keeps them. All ranks start
  /// the same solves.
  void submit_solve(const SolveVectors& vectors);
  void wait() { runner_.wait(); }

 private:
  struct Solver {
    SolveTasks tasks;
    Handles data;
  };
  Solver& solver_for(Index columns);

  Messenger& messenger_;
  const LocalStructure& structure_;
  RankFactor& factor_;
  KernelCost cost_;
  SubtreeCut cut_;
  SolveTree tree_;
  SharedSolve shared_;
  std::vector<Index> identity_;
  FactorReady ready_;
  std::map<Index, std::unique_ptr<Solver>> solvers_;
  TaskRunner runner_;
};

}  // namespace espalier
