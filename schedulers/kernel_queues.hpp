// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "schedulers/decide/ktq.hpp"
#include "schedulers/gang.hpp"
#include "schedulers/options.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/ready_heap.hpp"

namespace espalier::internal {

/// Workers that have kernel task queues in common; those of CPUs are a gang, too.
struct WorkerGroup {
  WakeSet workers;
  Gang gang;
};

/// What `ktq` is told by its options.
struct KernelQueueSettings {
  explicit KernelQueueSettings(const PolicySettings& settings);

  KernelQueueRules rules;
  Count most_in_batch = 0;  ///< 0: by time
};

/// The instant queue, the task-parallel and the data-parallel one of a group of workers. A worker
/// looks into its instant queue, its batch, the shared queue, the batches of others, and the queue
/// of data-parallel tasks, in this order: a task for all workers interrupts nobody. Instant tasks
/// run on CPUs; where nobody here released one it waits in the shared queue. A device takes
/// batches, and large tasks whole: it is the other way to run one data-parallel; what the CPUs
/// could run it takes where that helps them (device_helps), what they cannot has a queue of its
/// own. Settings and group outlive the object.
class KernelQueues {
 public:
  KernelQueues(const KernelQueueSettings& settings, WorkerGroup& group)
      : settings_(settings), group_(group) {}

  /// Enters a task that is ready, while so many seconds of work wait for the group, and into `wake`
  /// who may now find one.
  void push(starpu_task* task, const TaskFacts& facts, double remaining, WakeSet& wake);
  /// Returns the next task of a worker of the group, or null, while so many seconds of work wait
  /// for the group.
  starpu_task* pop(int worker, double remaining);
  /// The worker has left the group: others get what waits for it.
  void leave(int worker);
  /// Returns all tasks, which are in no queue then.
  std::vector<starpu_task*> drain();

 private:
  struct OwnQueues {
    std::deque<starpu_task*> instant;
    std::deque<starpu_task*> batch;
  };

  bool is_here(int worker) const {
    return worker >= 0 && group_.workers.test(static_cast<std::size_t>(worker));
  }
  /// A worker that asks for a task, while so many seconds of work wait for the group.
  struct Asking {
    int worker;
    double remaining;
    Index cpu_workers;

    bool may_take(starpu_task* task) const;
    starpu_task* first_of(ReadyHeap& heap) const;
  };

  bool is_for_devices_alone(starpu_task* task) const;
  int instant_worker(int releaser, starpu_task* task);
  starpu_task* take_own(int worker);
  starpu_task* take_batch(const Asking& asking);
  starpu_task* steal(const Asking& thief);
  starpu_task* take_data_parallel(const Asking& asking);

  const KernelQueueSettings& settings_;
  WorkerGroup& group_;
  std::map<int, OwnQueues> own_;  ///< by worker
  ReadyHeap shared_;
  ReadyHeap data_parallel_;
  ReadyHeap for_devices_;  ///< what no CPU worker here can execute
};

/// Returns those of the workers that are CPUs, ascending.
std::vector<int> cpu_workers_of(const WakeSet& workers);

}  // namespace espalier::internal
