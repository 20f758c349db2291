// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

#include <bitset>
#include <memory>
#include <type_traits>

namespace espalier::internal {

/// Workers to wake because they may now find a task. A worker that found no task does not ask again
/// until it is woken.
using WakeSet = std::bitset<STARPU_NMAXWORKERS>;

/// Wakes one of the waiting workers for which may_come(worker) is true, and removes it from
/// `waiting`. Waking one worker per task avoids a thundering herd on the policy's lock.
template <class MayCome>
void wake_one(WakeSet& waiting, WakeSet& wake, MayCome may_come) {
  for (auto w = waiting._Find_first(); w < waiting.size(); w = waiting._Find_next(w)) {
    if (!may_come(static_cast<int>(w))) continue;
    waiting.reset(w);
    wake.set(w);
    return;
  }
}

/// A policy in one scheduling context. The adaptor calls it while holding the context's lock, so
/// that it needs no other lock. Workers are identified by StarPU's ids. An exception ends the
/// program, because it would otherwise pass through StarPU and leave StarPU's locks held.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual void add_worker(int worker) = 0;
  /// Called after all workers that join a context together were added.
  virtual void workers_added(unsigned /*context*/) {}
  /// The worker will not ask again. The policy must give the tasks that wait for this worker to
  /// others.
  virtual void remove_worker(int worker, WakeSet& wake) = 0;
  /// The task was submitted, but may still wait for dependencies. Called in the submitting thread.
  virtual void submitted(starpu_task* /*task*/) {}
  /// Like submitted(), but called without the lock, for policies that do not need it. Any number of
  /// threads may call it at once, and in parallel with all other calls.
  virtual void announced(starpu_task* /*task*/) {}
  /// The task is ready. Adds to `wake` the workers that may now find a task.
  virtual void push(starpu_task* task, WakeSet& wake) = 0;
  /// Returns the next task for the worker, or null. The worker must be able to execute the task.
  virtual starpu_task* pop(int worker, WakeSet& wake) = 0;
  /// The worker has ended a task, and all tasks that waited only for this task were pushed. The
  /// object of the task may no longer exist.
  virtual void done(int /*worker*/, WakeSet& /*wake*/) {}
  /// Called without the lock after pop() has returned a task, and after finished(), in the same
  /// thread. Policies do slow work here, or push tasks.
  virtual void without_lock(int /*worker*/) {}
  /// Returns whether finished() must be called for this task. If false, the lock is not taken.
  static bool awaits(const starpu_task& /*task*/) { return true; }
  /// The task has ended and no longer uses its data. The tasks that wait for it were not released
  /// yet.
  virtual void finished(starpu_task* /*task*/, WakeSet& /*wake*/) {}
};

namespace adaptor {

void start(unsigned context, std::unique_ptr<Policy> policy);

template <class Made>
void start_new(unsigned context) noexcept {
  start(context, std::make_unique<Made>());
}

/// The submit_hook of policies that override announced().
void announce(starpu_task* task) noexcept;

/// Calls Policy::finished() for the task.
void finish(starpu_task* task, unsigned context) noexcept;

/// The post_exec_hook of policies that override finished().
template <class Made>
void finish_awaited(starpu_task* task, unsigned context) noexcept {
  if (Made::awaits(*task)) finish(task, context);
}

/// Returns all functions of StarPU's interface except init_sched.
starpu_sched_policy functions();

}  // namespace adaptor

/// Returns StarPU's description of a policy. Every scheduling context creates an object of type
/// `Made`. The texts must outlive the description.
template <class Made>
starpu_sched_policy adapt(const char* name, const char* description) {
  starpu_sched_policy policy = adaptor::functions();
  policy.init_sched = adaptor::start_new<Made>;
  // Submitting threads take the lock only if the policy overrides submitted().
  constexpr bool ignores_submission =
      std::is_same_v<decltype(&Made::submitted), decltype(&Policy::submitted)>;
  constexpr bool overrides_announced =
      !std::is_same_v<decltype(&Made::announced), decltype(&Policy::announced)>;
  static_assert(ignores_submission || !overrides_announced,
                "a policy overrides only one of submitted() and announced()");
  if (ignores_submission) policy.submit_hook = overrides_announced ? adaptor::announce : nullptr;
  constexpr bool ends = !std::is_same_v<decltype(&Made::finished), decltype(&Policy::finished)>;
  if (ends) policy.post_exec_hook = adaptor::finish_awaited<Made>;
  policy.policy_name = name;
  policy.policy_description = description;
  return policy;
}

}  // namespace espalier::internal
