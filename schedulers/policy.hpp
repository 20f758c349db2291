// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <bitset>
#include <memory>

namespace espalier {

/// Workers that may now find a task, or more of them than before: they are woken. One that was told
/// that there is none asks no more until then.
using WakeSet = std::bitset<STARPU_NMAXWORKERS>;

/// A policy at work in one scheduling context. The adaptor calls it with the context's lock held,
/// so it needs none of its own. Workers are StarPU's ids.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual void add_worker(int worker) = 0;
  /// All workers that join this policy's context together were added.
  virtual void workers_added(unsigned /*context*/) {}
  /// The worker will not ask again: what waits for it alone has to go to others.
  virtual void remove_worker(int worker, WakeSet& wake) = 0;
  /// The task was submitted; its dependencies may still hold it. Called in the submitting thread.
  virtual void submitted(starpu_task* /*task*/) {}
  /// The same without the lock, for policies that can do without: in any number of threads at once,
  /// beside all other calls.
  virtual void announced(starpu_task* /*task*/) {}
  /// The task is ready. Enters into `wake` who may now have something to do.
  virtual void push(starpu_task* task, WakeSet& wake) = 0;
  /// The worker asks for its next task, which it must be able to execute; null where there is none.
  virtual starpu_task* pop(int worker, WakeSet& wake) = 0;
  /// The worker has ended the task that it was given last, whose object may be gone, and all tasks
  /// that it released were pushed.
  virtual void done(int /*worker*/, WakeSet& /*wake*/) {}
  /// The task has ended and uses its data no more; whoever waits for it was not told yet.
  virtual void finished(starpu_task* /*task*/, WakeSet& /*wake*/) {}
};

}  // namespace espalier
