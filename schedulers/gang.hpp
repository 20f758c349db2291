// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include <vector>

#include "schedulers/policy.hpp"

namespace espalier::internal {

/// CPU workers of a scheduling context that run parallel tasks together, as StarPU's combined
/// worker. If gangs of the process share a worker, only one of them runs at a time. Otherwise their
/// members could wait for each other forever.
class Gang {
 public:
  /// Becomes the gang of these workers if StarPU has a combined worker for them. If not and `make`
  /// is true, creates one, which is possible only while StarPU starts.
  void assemble(std::vector<int> workers, bool make);
  bool exists() const { return combined_ >= 0; }
  bool can_execute(starpu_task* task) const;
  bool at_work() const;
  /// Returns the worker that started the last task.
  int leader() const { return leader_; }

  /// Returns the leader's part of the task, or null while another gang with one of the workers
  /// runs. The other members find their parts in their own queues. All members start and end
  /// together.
  starpu_task* start(starpu_task* task, int leader);

  /// The policy's post_exec_hook.
  static void ended(starpu_task* part, unsigned context) noexcept;

 private:
  std::vector<int> workers_;
  WakeSet members_;  ///< `workers_` as a set
  int combined_ = -1;
  int leader_ = -1;
};

}  // namespace espalier::internal
