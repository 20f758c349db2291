// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

#include <bitset>
#include <memory>
#include <type_traits>

namespace espalier::internal {

/// Workers that may now find a task, or more of them than before: they are woken. One that was told
/// that there is none asks no more until then.
using WakeSet = std::bitset<STARPU_NMAXWORKERS>;

/// Wakes one of the workers that wait, of those that may_come(worker), which then waits no more:
/// each task more wakes another one, and of 64 idle ones all the others would come for nothing,
/// each with the policy's lock, for which those who have a task to take then wait.
template <class MayCome>
void wake_one(WakeSet& waiting, WakeSet& wake, MayCome may_come) {
  for (auto w = waiting._Find_first(); w < waiting.size(); w = waiting._Find_next(w)) {
    if (!may_come(static_cast<int>(w))) continue;
    waiting.reset(w);
    wake.set(w);
    return;
  }
}

/// A policy at work in one scheduling context. The adaptor calls it with the context's lock held,
/// so it needs none of its own. Workers are StarPU's ids. No exception leaves the adaptor, which
/// would pass through StarPU and leave its locks taken: it ends the program.
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
  /// Says the same without the lock, for policies that can do without: in any number of threads at
  /// once, beside all other calls.
  virtual void announced(starpu_task* /*task*/) {}
  /// The task is ready. Enters into `wake` who may now have something to do.
  virtual void push(starpu_task* task, WakeSet& wake) = 0;
  /// The worker asks for its next task, which it must be able to execute; null where there is none.
  virtual starpu_task* pop(int worker, WakeSet& wake) = 0;
  /// The worker has ended the task that it was given last, whose object may be gone, and all tasks
  /// that it released were pushed.
  virtual void done(int /*worker*/, WakeSet& /*wake*/) {}
  /// Follows pop(), where that gave the worker a task, and finished(), in the same thread but
  /// without the lock: for what takes long, or pushes tasks.
  virtual void without_lock(int /*worker*/) {}
  /// Returns whether finished() is to be told of this task, which spares others the lock.
  static bool awaits(const starpu_task& /*task*/) { return true; }
  /// The task has ended and uses its data no more; whoever waits for it was not told yet.
  virtual void finished(starpu_task* /*task*/, WakeSet& /*wake*/) {}
};

namespace adaptor {

void start(unsigned context, std::unique_ptr<Policy> policy);

template <class Made>
void start_new(unsigned context) noexcept {
  start(context, std::make_unique<Made>());
}

/// This is the submit_hook of policies that are `announced` tasks.
void announce(starpu_task* task) noexcept;

/// Tells the policy that the task has `finished`.
void finish(starpu_task* task, unsigned context) noexcept;

/// This is the post_exec_hook of policies that are told which tasks have `finished`.
template <class Made>
void finish_awaited(starpu_task* task, unsigned context) noexcept {
  if (Made::awaits(*task)) finish(task, context);
}

/// Returns all functions of StarPU's interface but init_sched.
starpu_sched_policy functions();

}  // namespace adaptor

/// Returns StarPU's view of a policy, of which every scheduling context makes an object of its own.
/// The texts outlive it.
template <class Made>
starpu_sched_policy adapt(const char* name, const char* description) {
  starpu_sched_policy policy = adaptor::functions();
  policy.init_sched = adaptor::start_new<Made>;
  // Submitting threads take no lock for a policy that does not listen, or without it.
  constexpr bool deaf = std::is_same_v<decltype(&Made::submitted), decltype(&Policy::submitted)>;
  constexpr bool told = !std::is_same_v<decltype(&Made::announced), decltype(&Policy::announced)>;
  static_assert(deaf || !told, "a policy overrides one of them");
  if (deaf) policy.submit_hook = told ? adaptor::announce : nullptr;
  constexpr bool ends = !std::is_same_v<decltype(&Made::finished), decltype(&Policy::finished)>;
  if (ends) policy.post_exec_hook = adaptor::finish_awaited<Made>;
  policy.policy_name = name;
  policy.policy_description = description;
  return policy;
}

}  // namespace espalier::internal
