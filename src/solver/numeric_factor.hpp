// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "codelets/cuda/functions.hpp"
#include "graph/shared_solve.hpp"
#include "graph/solve_tree.hpp"
#include "mapping/local_structure.hpp"
#include "matrix/sparse_matrix.hpp"
#include "plan/device_seconds.hpp"
#include "plan/plan.hpp"
#include "report/factor_report.hpp"
#include "report/worker_time.hpp"
#include "runtime/factor_tasks.hpp"
#include "runtime/memory_window.hpp"
#include "runtime/solve_tasks.hpp"
#include "runtime/starpu/copy_recording.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/submission.hpp"
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

/// A solve by blocks of right-hand sides, of which the last one may be smaller.
struct SolveBlocks {
  Index count;    ///< right-hand sides
  Index columns;  ///< right-hand sides of a block
  SolvePart part = SolvePart::both;
};

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
  void submit_solve(const SolveVectors& vectors) { submit(vectors, SolvePart::both); }
  /// Starts a solve with L or its transpose alone, in the numbering of L, of a process alone.
  void submit_solve_in_order_of_l(const SolveVectors& vectors, SolvePart part) {
    submit(vectors, part);
  }
  /// Waits for all of this factor's tasks and messages. Returns the column of the structure whose
  /// pivot failed, or -1.
  Index wait();

  /// Runs on this thread, without StarPU, with any kernels: the oracle of the tests.
  Index factorize_sequentially(const double* values, const Kernels& kernels);

  /// Returns the bytes that the tasks of such a solve take. Those for one right-hand side and both
  /// parts are there from the start, and count nothing.
  Count solve_bytes(const SolveBlocks& blocks) const;
  /// Returns the bytes that the tasks of earlier solves take now, likewise.
  Count kept_solve_bytes() const;
  /// Frees tasks of earlier solves that this one does not use, those that were not used for the
  /// longest time first, until what is left and what this solve takes fits into `room` bytes, and
  /// into those of the largest solve. Waits for all tasks if it frees any. Returns the bytes of
  /// both.
  Count make_room_for(const SolveBlocks& blocks, Count room);

  const FactorPlan& plan() const { return plan_; }
  /// Returns what tasks take on devices; null where these take no part.
  const DeviceSeconds* device_seconds() const {
    return device_seconds_ ? &*device_seconds_ : nullptr;
  }
  FactorContext& context() { return context_; }
  DeviceBudget& device_budget() { return context_.device_budget; }
  std::span<const double> values() const { return values_.span(); }
  /// Returns the tiles, groups and contributions; a view without memory is of data that come and
  /// go.
  std::span<const MatrixView> data() const { return tasks_->list().data; }
  /// Returns what comes and goes between several ranks.
  const MemoryWindow& window() const { return *window_; }
  /// Forgets what the workers did and what went to devices and back.
  void reset_tally();
  /// Adds a factorization of so many seconds, and, where none was faster, what was done for it
  /// since the tally was reset.
  void add_run_to(FactorHistory& history, double seconds);
  /// Forgets what the workers did in solves.
  void reset_solve_tally();
  /// Adds what they did in solves since then.
  void add_solves_to(FactorHistory& history) const;
  /// Returns the tasks of a factorization; each has its record after the first one.
  std::span<const BoundTask> factor_tasks() const { return tasks_->list().task; }
  /// Returns the copies to and from devices in the last factorization, by its clock.
  std::vector<CopyRun> factor_copies() const;
  /// Returns how the workers of a process alone spent the last factorization, which took so many
  /// seconds.
  WorkerTime worker_time(double seconds);

 private:
  struct Solver {
    SolvePart part;
    SolveTasks tasks;
    Handles pieces;
    bool has_run = false;
    std::deque<PinnedMemory> pinned{};  ///< the pieces, from the second run on, for devices
  };
  struct SolverKey {
    Index columns;  ///< right-hand sides
    SolvePart part;

    bool operator==(const SolverKey&) const = default;
  };
  static constexpr SolverKey usual{1, SolvePart::both};

  void allocate_factor(const PartView& part, bool deterministic);
  /// Begins to pin the tiles, and of the window as much as is likely to be in use at once: it may
  /// be larger than all that is ever received.
  void pin_memory();
  /// Gives CUDA devices the messages of the tasks, once for all factorizations.
  void copy_messages();
  void prepare_solves(const PartView& part, bool deterministic);
  /// Counts flops and seconds by task kind, summed over the workers of a type.
  FactorHistory::Tally tally(WorkerType type) const;
  /// Prepares the next factorization, with values of A.
  void begin(const double* values);

  std::span<const starpu_data_handle_t> handles();
  std::span<const starpu_data_handle_t> ready_handle();
  /// After the tasks submitted so far all of L is in the host's memory.
  void expect_at_home();
  /// Returns the tasks, which it makes where there are none such.
  Solver& solver_for(SolverKey key);
  std::unique_ptr<Solver> made_solver(SolverKey key);
  static SolverKey key_of(const Solver& solver) { return {solver.tasks.columns(), solver.part}; }
  /// Returns those that such a solve uses, of both blocks, but for the usual ones.
  static std::vector<SolverKey> used_by(const SolveBlocks& blocks);
  Count solver_bytes(Index columns) const;
  /// Returns the bytes of workspaces for a panel of one vector.
  Count workspace_bytes() const;
  /// Waits for all tasks and frees these.
  void forget(std::unique_ptr<Solver> solver);
  void submit(const SolveVectors& vectors, SolvePart part);
  /// Returns the numbers of the columns of L in their own order.
  const std::vector<Index>& order_of_l();
  /// Returns whether devices take part in solves with so many right-hand sides: where it takes less
  /// time to move an entry of L to them than the CPUs need for it.
  bool devices_solve(Index columns) const;
  /// Returns whether this thread alone runs them.
  bool solves_here(Index columns) const {
    return !shared_ && (small_ || (starpu_.cpu_workers() == 1 && !devices_solve(columns)));
  }
  /// Returns the workspace for tasks that this thread runs.
  Workspace& workspace_of_cpu();
  /// Returns the handles that the tasks of a solver use.
  std::vector<starpu_data_handle_t> handles_of(const Solver& solver);
  /// Pins the pieces of a solver that runs again, for devices: to pin them takes longer than to
  /// copy them once.
  void pin_pieces(Solver& solver);
  /// Registers what StarPU must know of before the first solve with so many right-hand sides.
  void register_pieces(Solver& solver);

  const StarpuInstance& starpu_;
  const PanelStructure& structure_;
  TransferEngine* engine_;  ///< moves data between several ranks, else null
  KernelCost cost_;
  FactorPlan plan_;
  Buffer values_;
  std::optional<MemoryWindow> window_;
  std::deque<PinnedMemory> pinned_;  ///< keeps pinned for CUDA devices what is copied there
  FactorContext context_;
  std::optional<FactorTasks> tasks_;
  std::optional<DeviceSeconds> device_seconds_;        ///< where devices take part
  std::optional<cuda::DeviceCopies> device_messages_;  ///< where these are CUDA devices
  std::optional<TimeDivision> time_division_;
  CopyRecording copies_;  ///< where devices take part
  Handles handles_;
  std::optional<FactorReady> ready_;
  Handles ready_handle_;
  std::vector<Index> identity_;  ///< numbers vectors in the order of L, once that is asked for
  std::span<const Index> vector_row_;
  bool small_ = false;      ///< solving does not pay for tasks
  double entry_seconds_{};  ///< what moving an entry of L to a device takes
  SubtreeCut solve_cut_;
  SolveTree solve_tree_;
  std::optional<SharedSolve> shared_;  ///< what several ranks solve together
  std::unique_ptr<Solver> usual_solver_;
  std::vector<std::unique_ptr<Solver>> solvers_;  ///< others; those that were used last come last
  Index reserved_columns_ = 0;                    ///< vectors that the workspaces have room for
  bool factor_under_way_ = false;
  bool solve_under_way_ = false;
  TaskRunner runner_;
};

}  // namespace espalier::internal
