// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/espalier.hpp"

#include <unistd.h>

#include <algorithm>

#include "schedulers/own_policies.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

namespace {

/// Returns the size of a core's own cache; 0 where the system does not say.
std::size_t cache_bytes() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<std::size_t>(std::max(bytes, 0L));
}

std::size_t largest_piece(starpu_task* task) {
  std::size_t largest = 0;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    largest = std::max(largest, starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i)));
  }
  return largest;
}

class CriticalPathFirst final : public Policy {
 public:
  void add_worker(int worker) override {
    workers_.set(static_cast<std::size_t>(worker));
    if (is_device(worker)) ++devices_;
  }
  void remove_worker(int worker, WakeSet& wake) override {
    workers_.reset(static_cast<std::size_t>(worker));
    waiting_.reset(static_cast<std::size_t>(worker));
    if (is_device(worker)) --devices_;
    ready_.forget_keeper(worker);
    wake |= workers_;
  }
  void announced(starpu_task* task) override { ready_.expect(lengths_of(task).seconds); }
  void push(starpu_task* task, WakeSet& wake) override {
    const Lengths known = lengths_of(task);
    ready_.push({task, task->priority, known.path, known.seconds}, keeper(task));
    wake_for(task, wake);
  }
  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    starpu_task* const task =
        ready_.pop(worker, static_cast<Index>(workers_.count()),
                   [&](starpu_task* task) { return can_execute(worker, task); });
    waiting_.set(static_cast<std::size_t>(worker), task == nullptr);
    return task;
  }

 private:
  /// Wakes one of the workers that found no task and can execute this one, since every task more
  /// wakes another one: of 64 idle ones, all the others would come for nothing, each with the lock.
  /// Where there are devices it wakes all: one that takes another task could leave this to them.
  void wake_for(starpu_task* task, WakeSet& wake) {
    if (devices_ > 0) {
      wake |= waiting_;
      waiting_.reset();
      return;
    }
    for (auto w = waiting_._Find_first(); w < waiting_.size(); w = waiting_._Find_next(w)) {
      if (!can_execute(static_cast<int>(w), task)) continue;
      waiting_.reset(w);
      wake.set(w);
      return;
    }
  }

  /// The worker that released the task has just used one of its pieces of data.
  int keeper(starpu_task* task) const {
    const int releaser = starpu_worker_get_id();
    const bool here = releaser >= 0 && workers_.test(static_cast<std::size_t>(releaser));
    return here && largest_piece(task) <= cache_ ? releaser : Tasks::nobody;
  }

  using Tasks = ReadyTasks<starpu_task*>;

  const std::size_t cache_ = cache_bytes();
  WakeSet workers_;
  WakeSet waiting_;  ///< those that found no task, and were not woken since
  Index devices_ = 0;
  Tasks ready_;
};

}  // namespace

const starpu_sched_policy espalier_policy =
    adapt<CriticalPathFirst>("espalier", "longest predicted path to the end first");

}  // namespace espalier::internal
