// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <optional>
#include <span>
#include <vector>

#include "codelets/context.hpp"
#include "codelets/cpu/blas.hpp"
#include "codelets/task_list.hpp"
#include "graph/task_graph.hpp"
#include "runtime/starpu/completion.hpp"
#include "runtime/starpu/host_task.hpp"
#include "runtime/starpu/ordered_run.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/transfers.hpp"

namespace espalier::internal {

/// Number of tasks between two pauses of the submission. Each time this number has been submitted,
/// the submitting thread sleeps until at most three quarters of this number are unfinished. So the
/// number of unfinished tasks stays below twice this value. Submission is not throttled while
/// contributions wait for memory, because the task that frees the memory may not have been
/// submitted yet.
inline constexpr Count submission_window = 16384;

/// Whether the submission of a list pauses while too many tasks are unfinished. It must not if
/// tasks of the application, which may wait for the submitting thread, come before the list.
enum class Throttle : bool { off, on };

/// Submits the tasks, or the batches of the list if it has any, to StarPU, which derives their
/// order from the accesses to the handles (one per piece of data of the list or of its batches).
/// List and handles must live until `completion` has counted the end of all tasks. Throws
/// RuntimeFailure if StarPU returns a task because no worker can run it, and UsageError if a task
/// has more than most_data_of_task accesses.
void submit(const TaskList& list, std::span<const starpu_data_handle_t> handles,
            Completion& completion, const Transfers* transfers = nullptr,
            Throttle throttle = Throttle::on);

/// Returns one workspace per worker for tasks on panels of the structure.
std::vector<Workspace> workspaces(const PanelStructure& structure, Index workers);
/// Enlarges the workspaces, if necessary, so that each holds `columns` vectors with the rows of the
/// tallest panel.
void reserve_vectors(std::vector<Workspace>& workspaces, Index columns);
/// Shrinks workspaces that are larger than `columns` vectors need.
void release_vectors(std::vector<Workspace>& workspaces, Index columns);

/// Runs lists of tasks. The workers are awake as long as any task is unfinished.
class TaskRunner {
 public:
  explicit TaskRunner(const StarpuInstance& starpu);

  /// Submits the list, which must live until wait() returns.
  void start(const TaskList& list, std::span<const starpu_data_handle_t> handles,
             const Transfers* transfers = nullptr, Throttle throttle = Throttle::on);
  /// Starts a run, after the runs that were started before it. It must live until wait() returns.
  /// Tasks of start() on other lists must have ended.
  void start(OrderedRun& run);
  /// Returns whether a run may be unfinished.
  bool has_runs() const { return !runs_.empty(); }
  /// Submits a task that runs a function on the host; see HostTask.
  void start(HostTask task, std::span<const starpu_data_descr> accesses);
  /// Submits one message that is not part of a list, with the highest priority. The messages
  /// of `transfers` are not used.
  void start(const Message& message, starpu_data_handle_t data, const Transfers& transfers);
  /// Separates earlier tasks on these data from later ones; see submit_fence().
  void fence(std::span<const starpu_data_handle_t> data, starpu_data_handle_t last);
  /// Copies from devices to the host all data of the list that have memory. Each copy starts as
  /// soon as the last submitted task that writes the data has ended, while other tasks still run.
  void copy_to_host(const TaskList& list, std::span<const starpu_data_handle_t> handles);
  /// Runs the list in this thread, without StarPU.
  void run_here(const TaskList& list, const Kernels& kernels, Workspace& workspace);
  /// Waits until all tasks have ended.
  void wait();
  /// Waits until all tasks have ended, for callers that submit more tasks immediately afterwards.
  /// BLAS stays single-threaded.
  void wait_for_tasks();
  /// Throws RuntimeFailure if StarPU refused a task of a run since the last call.
  void expect_complete_runs();

 private:
  const StarpuInstance& starpu_;
  std::vector<OrderedRun*> runs_;  ///< started since the last wait
  bool has_lost_a_run_ = false;
  std::optional<SingleThreadedBlas> blas_;
  /// The worker that ends the last task puts all workers to sleep. A thread that is woken while
  /// workers spin would need some milliseconds to get a core.
  Completion completion_;
};

}  // namespace espalier::internal
