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

/// Workers that share kernel task queues. Its CPU workers also form a gang.
struct WorkerGroup {
  WakeSet workers;
  Gang gang;
};

/// The options of `ktq` for its queues.
struct KernelQueueSettings {
  explicit KernelQueueSettings(const PolicySettings& settings);

  KernelQueueRules rules;
  Count most_in_batch = 0;  ///< 0: limited by time
  /// Whether queues order tasks by the supernode that they write, from the first one on, as in
  /// algorithm 2 of swCholesky. Otherwise they order tasks by priority.
  bool by_supernode = false;
};

/// The instant queue, the task-parallel queue and the data-parallel queue of a group of workers.
///
/// A worker looks for a task in its instant queue, its batch, the shared queue, the batches of
/// others, and the data-parallel queue, in this order. A data-parallel task therefore interrupts no
/// worker.
///
/// Instant tasks run on CPUs. If no worker of the group released an instant task, it waits in the
/// shared queue. A device takes batches, and also large tasks, which it runs alone. If the CPUs
/// could run a task, a device takes it only if that helps them (device_helps). Tasks that no CPU
/// worker can execute have a separate queue.
///
/// The settings and the group must outlive the object.
class KernelQueues {
 public:
  KernelQueues(const KernelQueueSettings& settings, WorkerGroup& group)
      : settings_(settings), group_(group) {}

  /// Enters a ready task and adds to `wake` the workers that may now find a task. `remaining` is
  /// the work that waits for the group, in seconds.
  void push(starpu_task* task, const TaskFacts& facts, double remaining, WakeSet& wake);
  /// Returns the next task of a worker of the group, or null. `remaining` is as for push().
  starpu_task* pop(int worker, double remaining);
  /// Gives the tasks of a worker that has left the group to others.
  void leave(int worker);
  /// Removes all tasks from the queues and returns them.
  std::vector<starpu_task*> drain();

 private:
  struct OwnQueues {
    std::deque<starpu_task*> instant;
    std::deque<starpu_task*> batch;
  };

  bool is_here(int worker) const {
    return worker >= 0 && group_.workers.test(static_cast<std::size_t>(worker));
  }
  /// A worker that asks for a task, and the seconds of work that wait for the group.
  struct Asking {
    int worker;
    double remaining;
    Index cpu_workers;

    bool may_take(starpu_task* task) const;
    starpu_task* first_of(ReadyHeap& heap) const;
  };

  double rank_of(starpu_task* task, const TaskFacts& facts) const;
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
  ReadyHeap for_devices_;  ///< tasks that no CPU worker of the group can execute
};

/// Returns the CPU workers among these workers, in ascending order.
std::vector<int> cpu_workers_of(const WakeSet& workers);

}  // namespace espalier::internal
