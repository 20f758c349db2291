// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>

#include "base/memory.hpp"
#include "codelets/context.hpp"
#include "graph/solve_tree.hpp"
#include "matrix/sparse_matrix.hpp"
#include "plan/plan.hpp"
#include "report/factor_report.hpp"
#include "report/worker_time.hpp"
#include "runtime/factor_tasks.hpp"
#include "runtime/solve_tasks.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/submission.hpp"

namespace espalier {

/// L in memory with its bound tasks: factorizations and solves in the numbering of L.
class NumericFactor {
 public:
  /// Allocates everything that factorizations need; they allocate nothing themselves.
  NumericFactor(const StarpuInstance& starpu, const SymbolicFactor& symbolic,
                const LowerPattern& pattern, FactorPlan plan, bool deterministic,
                const KernelCost& cost);
  ~NumericFactor();
  NumericFactor(const NumericFactor&) = delete;
  NumericFactor& operator=(const NumericFactor&) = delete;

  /// Starts a factorization with values of A in the order of its pattern, which live until wait().
  void submit_factorize(const double* values);
  /// Starts a solve; a solve under way is waited for first.
  void submit_solve(const SolveVectors& vectors);
  /// Waits for all of this factor's tasks. The column of L whose pivot failed, or -1.
  Index wait();

  /// Runs on this thread, without StarPU, with any kernels: the oracle of the tests.
  Index factorize_sequentially(const double* values, const Kernels& kernels);

  const FactorPlan& plan() const { return plan_; }
  DeviceBudget& device_budget() { return context_.device_budget; }
  std::span<const double> values() const { return values_.span(); }
  /// Counts and seconds by task kind since the last reset, summed over the workers of a type.
  FactorHistory::Tally tally(WorkerType type) const;
  void reset_tally();
  /// The share of the flops of solves since then that devices did.
  double offloaded_solve() const;
  /// The tasks of a factorization; each has its record after the first one.
  std::span<const BoundTask> factor_tasks() const { return tasks_->list().task; }
  /// How the workers spent the last factorization, which took so many seconds.
  WorkerTime worker_time(double seconds) { return time_division_->of(factor_tasks(), seconds); }

 private:
  struct Solver {
    SolveTasks tasks;
    Handles pieces;
  };

  std::span<const starpu_data_handle_t> handles();
  std::span<const starpu_data_handle_t> ready_handle();
  /// After the tasks submitted so far all of L is in the host's memory.
  void expect_at_home();
  Solver& solver_for(Index columns);
  /// Whether devices take part in solves with so many right-hand sides: where it takes less time to
  /// move an entry of L to them than the CPUs need for it.
  bool devices_solve(Index columns) const;
  /// Whether this thread alone runs them.
  bool solves_here(Index columns) const {
    return small_ || (starpu_.cpu_workers() == 1 && !devices_solve(columns));
  }
  /// Returns the workspace for tasks that this thread runs.
  Workspace& workspace_of_cpu();
  /// Returns the handles that the tasks of a solver use.
  std::vector<starpu_data_handle_t> handles_of(const Solver& solver);
  /// Registers what StarPU must know of before the first solve with so many right-hand sides.
  void register_pieces(Solver& solver);

  const StarpuInstance& starpu_;
  const SymbolicFactor& symbolic_;
  KernelCost cost_;
  FactorPlan plan_;
  Buffer values_;
  std::optional<PinnedMemory> pinned_;  ///< of the values, for devices
  FactorContext context_;
  std::optional<FactorTasks> tasks_;
  std::optional<TimeDivision> time_division_;
  std::optional<Handles> handles_;
  std::optional<FactorReady> ready_;
  Handles ready_handle_;
  bool small_ = false;      ///< solving does not pay for tasks
  double entry_seconds_{};  ///< to move an entry of L to a device
  SubtreeCut solve_cut_;
  SolveTree solve_tree_;
  std::map<Index, std::unique_ptr<Solver>> solvers_;
  bool factor_under_way_ = false;
  bool solve_under_way_ = false;
  TaskRunner runner_;
};

}  // namespace espalier
