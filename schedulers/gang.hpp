// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include <vector>

#include "schedulers/policy.hpp"

namespace espalier::internal {

/// CPU workers of a scheduling context as one that runs parallel tasks: StarPU's combined worker.
/// Of the gangs of a process that have a worker in common only one is at work at a time: two whose
/// members wait for each other would wait forever.
class Gang {
 public:
  /// Becomes the gang of these workers if StarPU knows it or `make` says to make it, which is
  /// possible only while StarPU starts.
  void assemble(std::vector<int> workers, bool make);
  bool exists() const { return combined_ >= 0; }
  bool can_execute(starpu_task* task) const;
  bool at_work() const;
  /// Returns the worker that started the last task.
  int leader() const { return leader_; }

  /// Returns the leader's part of the task, or null while another gang with one of the workers is
  /// at work. The other members find theirs in their own queues; they begin, and end, together.
  starpu_task* start(starpu_task* task, int leader);

  /// The policy has this as its post_exec_hook.
  static void ended(starpu_task* part, unsigned context) noexcept;

 private:
  std::vector<int> workers_;
  WakeSet members_;  ///< the same workers
  int combined_ = -1;
  int leader_ = -1;
};

}  // namespace espalier::internal
