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
#include "runtime/starpu/starpu_instance.hpp"
#include "runtime/starpu/transfers.hpp"

namespace espalier::internal {

/// No more tasks than this are under way at once; the submitter then sleeps until a quarter is
/// done. But not while contributions wait for memory: what they wait for, the last task that writes
/// the first of them, may be one that is not submitted.
inline constexpr Count submission_window = 16384;

/// Hands the tasks to StarPU, which derives their order from the accesses to the handles (one for
/// each piece of data of the list). List and handles live until `completion` says that all tasks
/// are done. Throws RuntimeFailure when StarPU takes a task back because no worker can run it, and
/// UsageError when a task has more than most_data_of_task accesses.
void submit(const TaskList& list, std::span<const starpu_data_handle_t> handles,
            Completion& completion, const Transfers* transfers = nullptr);

/// Makes workspaces for tasks on panels of the structure.
std::vector<Workspace> workspaces(const PanelStructure& structure, Index workers);
/// Makes room in them for the rows of a panel of so many vectors, where there is less.
void reserve_vectors(std::vector<Workspace>& workspaces, Index columns);
/// Gives back what is reserved for more vectors than that.
void release_vectors(std::vector<Workspace>& workspaces, Index columns);

/// Starts lists of tasks, on workers that are awake as long as any of them is under way.
class TaskRunner {
 public:
  explicit TaskRunner(const StarpuInstance& starpu);

  /// Submits the list, which lives until wait().
  void start(const TaskList& list, std::span<const starpu_data_handle_t> handles,
             const Transfers* transfers = nullptr);
  /// Brings the data of the list that have memory home from devices, each as soon as the last
  /// submitted task that writes it has ended, beside the tasks that are left.
  void bring_home(const TaskList& list, std::span<const starpu_data_handle_t> handles);
  /// Runs the list on this thread, without StarPU.
  void run_here(const TaskList& list, const Kernels& kernels, Workspace& workspace);
  /// Waits until all tasks are done.
  void wait();
  /// Waits until all tasks are done, though more are to follow at once.
  void wait_for_tasks() { completion_.wait(); }

 private:
  const StarpuInstance& starpu_;
  std::optional<SingleThreadedBlas> blas_;
  /// The worker that ends the last task lets all go to sleep: a thread that is woken beside workers
  /// who spin waits for its turn, some milliseconds.
  Completion completion_;
};

}  // namespace espalier::internal
