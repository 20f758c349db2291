// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codelets/context.hpp"
#include "codelets/cpu/blas_threads.hpp"
#include "runtime/completion.hpp"
#include "runtime/starpu_instance.hpp"
#include "runtime/submit.hpp"

namespace espalier {

/// Workspaces for tasks on panels of the structure.
std::vector<Workspace> workspaces(const PanelStructure& structure, Index workers);
/// Room in them for the rows of a panel of so many vectors.
void reserve_vectors(std::vector<Workspace>& workspaces, Index columns);

/// Starts lists of tasks, on workers that are awake as long as any of them is under way.
class TaskRunner {
 public:
  explicit TaskRunner(const StarpuInstance& starpu);

  /// Submits the list, which lives until wait().
  void start(const TaskList& list, std::span<const starpu_data_handle_t> handles,
             const Mail* mail = nullptr);
  /// Runs the list on this thread, without StarPU.
  void run_here(const TaskList& list, Workspace& workspace);
  /// Until all tasks are done.
  void wait();
  /// Until all tasks are done, though more are to follow at once.
  void wait_for_tasks() { completion_.wait(); }

 private:
  const StarpuInstance& starpu_;
  std::optional<SingleThreadedBlas> blas_;
  /// The worker that ends the last task lets all go to sleep: a thread that is woken beside workers
  /// who spin waits for its turn, some milliseconds.
  Completion completion_;
};

}  // namespace espalier
