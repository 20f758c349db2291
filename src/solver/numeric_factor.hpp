// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "matrix/sparse_matrix.hpp"
#include "runtime/starpu/submission.hpp"
#include "solver/factor_storage.hpp"
#include "solver/run_recorder.hpp"
#include "solver/solve_cache.hpp"
#include "solver/solve_setup.hpp"

namespace espalier::internal {

/// The part of L that a process has, all of it where there is but one, with its bound tasks:
/// factorizations and solves in the numbering of L.
class NumericFactor {
 public:
  /// Allocates everything that factorizations need; they allocate nothing themselves. Between
  /// several ranks, all of which make such objects, parts travel by `exchange`.
  NumericFactor(const StarpuInstance& starpu, NumericPart part, FactorPlan plan, bool deterministic,
                const KernelCost& cost, const std::optional<RankExchange>& exchange = std::nullopt);
  /// Makes the factor of a process alone: the solve's vectors are in the numbering of A.
  NumericFactor(const StarpuInstance& starpu, const SymbolicFactor& symbolic,
                const PatternView& pattern, FactorPlan plan, bool deterministic,
                const KernelCost& cost);
  ~NumericFactor();
  NumericFactor(const NumericFactor&) = delete;
  NumericFactor& operator=(const NumericFactor&) = delete;

  /// Starts a factorization with values of A, numbered as the entries are, which live until wait().
  void submit_factorize(const double* values);
  /// Starts a solve; a solve under way is waited for first. One of several ranks reads b and writes
  /// x where it keeps them, all ranks start the same solves, and the factorization was waited for.
  /// A solve with L or its transpose alone, of a process alone, is in the numbering of L.
  void submit_solve(const SolveVectors& vectors, SolvePart part = SolvePart::both);
  /// Waits for all of this factor's tasks and messages. Returns the column of the structure whose
  /// pivot failed, or -1.
  Index wait();

  /// Runs on this thread, without StarPU, with any kernels: the oracle of the tests.
  Index factorize_sequentially(const double* values, const Kernels& kernels);

  const FactorPlan& plan() const { return storage_.plan(); }
  /// Returns what tasks take on devices; null where these take no part.
  const DeviceSeconds* device_seconds() const { return storage_.device_seconds(); }
  FactorContext& context() { return storage_.context(); }
  DeviceBudget& device_budget() { return storage_.context().device_budget; }
  std::span<const double> values() const { return storage_.values(); }
  /// Returns the tiles, groups and contributions; a view without memory is of data that come and
  /// go.
  std::span<const DataView> data() const { return storage_.tasks().data; }
  /// Returns the tasks of a factorization; each has its record after the first one.
  std::span<const BoundTask> factor_tasks() const { return storage_.tasks().task; }
  /// Returns what comes and goes between several ranks.
  const MemoryWindow& window() const { return storage_.window(); }
  /// Returns the tasks of solves and their memory.
  SolveCache& solves() { return solves_; }
  /// Returns what workers and devices did.
  RunRecorder& recorder() { return recorder_; }

 private:
  /// Prepares the next factorization, with values of A.
  void begin(const double* values);
  /// After the tasks submitted so far all of L is in the host's memory.
  void expect_at_home();
  /// Returns the workspace for tasks that this thread runs.
  Workspace& workspace_of_cpu();

  FactorStorage storage_;
  TaskRunner runner_;
  SolveSetup setup_;
  SolveCache solves_;
  RunRecorder recorder_;
  bool factor_under_way_ = false;
  bool solve_under_way_ = false;
};

}  // namespace espalier::internal
