// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "runtime/starpu/submission.hpp"
#include "solver/factor_storage.hpp"
#include "solver/run_recorder.hpp"
#include "solver/solve_cache.hpp"
#include "solver/solve_setup.hpp"

namespace espalier::internal {

/// The part of L of one process, or all of L if there is only one, with its tasks: factorizations
/// and solves in the numbering of L.
class NumericFactor {
 public:
  /// Allocates all memory of factorizations; they themselves allocate nothing. If there are several
  /// ranks, each rank constructs such an object, and the ranks exchange parts of L by `exchange`.
  NumericFactor(const StarpuInstance& starpu, NumericPart part, FactorPlan plan, bool deterministic,
                const KernelCost& cost, const std::optional<RankExchange>& exchange = std::nullopt);
  /// Makes the factor of a single process. Vectors of solves are in the numbering of A.
  NumericFactor(const StarpuInstance& starpu, const SymbolicFactor& symbolic,
                const PatternView& pattern, FactorPlan plan, bool deterministic,
                const KernelCost& cost);
  ~NumericFactor();
  NumericFactor(const NumericFactor&) = delete;
  NumericFactor& operator=(const NumericFactor&) = delete;

  /// Makes the next factorizations A = L J Lᵀ with these signs J, one per column of the structure,
  /// each 1 or -1. `regularization` is FactorOptions::regularization. largest_of_all(x) returns the
  /// largest x of all ranks; factorizations call it if the regularization needs the diagonal of A.
  /// Waits for all tasks.
  void set_signs(std::vector<double> signs, const std::array<double, 4>& regularization,
                 std::function<double(double)> largest_of_all);
  /// Makes the next factorizations A = L J Lᵀ with pivots that each diagonal block chooses. Waits
  /// for all tasks first.
  void choose_pivots();
  /// Lets the blocks of the next factorization leave out columns; see BlockPivots::leaves_out.
  void leave_columns_out() { leaves_out_ = true; }
  /// Sets powers of two S, one per row of the vectors of a solve. submit_factorize() then gets the
  /// values of S A S, but solves in both directions are for A. The scale must stay unchanged until
  /// the next call.
  void set_scale(std::span<const double> scale) { scale_ = scale; }
  std::span<const double> scale() const { return scale_; }
  /// Returns whether set_signs() was called, also if there are no columns.
  bool has_signs() const { return static_cast<bool>(largest_of_all_); }
  /// Starts a factorization with the values of A, in the order of the entries. The values must live
  /// until wait().
  void submit_factorize(const double* values);
  /// Waits for an unfinished solve, then starts this one. Each rank reads its part of b and writes
  /// its part of x. All ranks must wait for the factorization and then start the same solves. A
  /// solve with only L or its transpose needs a single process and uses the numbering of L.
  void submit_solve(const SolveVectors& vectors, SolvePart part = SolvePart::both);
  /// Takes the values of A from handles: copies them, and returns them in the order of the
  /// entries. The copy must live until the next call. Returns null if the values are not valid; the
  /// factorization then fails. Runs in a task, after all earlier tasks of this factor.
  using TakeValues = std::function<const double*(std::span<const ApplicationView> given)>;
  /// Starts a factorization with values in handles. It begins when the handles are written and all
  /// earlier tasks of this factor have ended. Does not wait for them. On several ranks, all ranks
  /// must call it, and then agree on the result before they submit another task of this factor.
  void submit_factorize(std::span<const starpu_data_handle_t> values, TakeValues take);
  /// Some columns of b and x in handles of the application.
  struct HandleSolve {
    starpu_data_handle_t b;  ///< null if the vectors have no rows
    starpu_data_handle_t x;  ///< as b
    Index first;             ///< first column
    Index columns;           ///< number of columns
    /// For each row of the vectors, its column of the structure. Empty if they are the same.
    std::span<const Index> rows{};
  };
  /// Starts a solve of these columns, after all earlier tasks of this factor. Does not wait for
  /// them. Solves of one x must be submitted in ascending order. If the factorization fails, the
  /// columns of x become NaN.
  void submit_solve(const HandleSolve& solve);
  /// Submits a task on the host. Such tasks run in the order of their calls. They wait for the
  /// tasks of a factorization only after end_factorization(). The task gets the data of the
  /// accesses.
  void submit_in_order(HostTask task, std::span<const starpu_data_descr> accesses);
  /// Submits a task on the host whose order depends only on the accesses.
  void submit_beside(HostTask task, std::span<const starpu_data_descr> accesses) {
    runner_.start(std::move(task), accesses);
  }
  /// Makes the tasks of submit_in_order() wait for the tasks of the last factorization.
  void end_factorization();
  /// Submits a message of data that do not belong to the factor. Needs several ranks. The tags are
  /// independent of those of the factor.
  void submit_beside(const Message& message, starpu_data_handle_t data);
  /// Waits for all tasks and messages of this factor. Returns failed_column().
  Index wait();
  /// Returns the column of the structure that failed the pivot check, or -1. All tasks of the
  /// factorization must have ended.
  Index failed_column() const { return storage_.context().failure.column(); }

  /// Runs a factorization in this thread, without StarPU, with any kernels. Tests compare other
  /// runs with this result.
  Index factorize_sequentially(const double* values, const Kernels& kernels);

  const FactorPlan& plan() const { return storage_.plan(); }
  /// Returns the predicted times of tasks on devices, or null if devices run no tasks.
  const DeviceSeconds* device_seconds() const { return storage_.device_seconds(); }
  FactorContext& context() { return storage_.context(); }
  DeviceBudget& device_budget() { return storage_.context().device_budget; }
  std::span<const double> values() const { return storage_.values(); }
  /// Returns the tiles, groups and contributions. A view has no memory if its data use the buffer
  /// pool.
  std::span<const DataView> data() const { return storage_.tasks().data; }
  /// Returns the tasks of a factorization. After the first factorization, each task has its record.
  std::span<const BoundTask> factor_tasks() const { return storage_.tasks().task; }
  /// Returns the buffer pool for data that ranks exchange.
  const BufferPool& pool() const { return storage_.pool(); }
  /// Returns the tasks of solves with their memory.
  SolveCache& solves() { return solves_; }
  /// Returns the record of the work of workers and devices.
  RunRecorder& recorder() { return recorder_; }

 private:
  /// Waits for all tasks and messages.
  void end_all();
  /// Waits for all tasks, and prepares the next factorization, with these values of A.
  void begin(const double* values);
  /// Prepares the next factorization. All tasks must have ended.
  void open(const double* values);
  /// Computes the shift for the current values, and forgets which pivots were replaced.
  void prepare_signs();
  /// Returns the vectors of a solve, with the scale of the last factorization.
  SolveVectors with_scale(SolveVectors vectors) const;
  /// Returns the handles of L, or nothing if L has none.
  std::span<const starpu_data_handle_t> data_of_factor();
  /// Waits for runs of tasks, whose data have no handles. Must be called before tasks on handles
  /// are submitted.
  void wait_for_runs();
  /// Orders solves that read arrays before all later tasks on handles.
  void fence_solves_of_arrays();
  /// Runs all tasks of a solve in one task of StarPU.
  void submit_in_one_task(const HandleSolve& solve, SolveCache::Entry& solver);
  /// Runs the tasks of a solve between tasks that copy b and x.
  void submit_between_copies(const HandleSolve& solve, SolveCache::Entry& solver);
  /// Submits tasks that end when all of L is in the memory of the host.
  void expect_at_home();
  /// Returns the workspace for tasks that the calling thread runs.
  Workspace& workspace_of_cpu();

  std::array<double, 4> regularization_{};
  bool leaves_out_ = false;
  std::span<const double> scale_{};
  std::function<double(double)> largest_of_all_;
  FactorStorage storage_;
  TaskRunner runner_;
  Index own_columns_;  ///< columns that no other rank has
  SolveSetup setup_;
  SolveCache solves_;
  RunRecorder recorder_;
  bool handles_under_way_ = false;  ///< whether tasks on handles may be unfinished
  bool factor_under_way_ = false;
  bool solve_under_way_ = false;
  bool reads_arrays_ = false;  ///< whether a solve that reads arrays may be unfinished
};

}  // namespace espalier::internal
