// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/adaptor.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <utility>

namespace espalier::adaptor {

namespace {

/// What StarPU keeps for us in a scheduling context.
struct Context {
  std::unique_ptr<Policy> policy;
  starpu_pthread_mutex_t mutex;
  std::atomic<int> ready{0};  ///< tasks that the policy holds
  /// Workers at a task that pop() gave them; each entry is used by its worker only.
  std::array<bool, STARPU_NMAXWORKERS> busy{};
};

Context& of(unsigned context) {
  return *static_cast<Context*>(starpu_sched_ctx_get_policy_data(context));
}

/// The lock of a context. Whoever waits for it must not keep other workers from its own state.
class Lock {
 public:
  explicit Lock(Context& context) : mutex_(context.mutex) {
    starpu_worker_relax_on();
    STARPU_PTHREAD_MUTEX_LOCK(&mutex_);
    starpu_worker_relax_off();
  }
  ~Lock() { STARPU_PTHREAD_MUTEX_UNLOCK(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  starpu_pthread_mutex_t& mutex_;
};

#ifdef STARPU_NON_BLOCKING_DRIVERS
/// Idle workers of this StarPU never sleep: they ask again.
void wake_up(const WakeSet& /*wake*/) {}
#else
void wake_up(const WakeSet& wake) {
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    if (wake.test(worker)) starpu_wake_worker_relax_light(static_cast<int>(worker));
  }
}
#endif

void stop(unsigned context) {
  Context* const ended = &of(context);
  STARPU_PTHREAD_MUTEX_DESTROY(&ended->mutex);
  delete ended;
}

void add_workers(unsigned context, int* workers, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (starpu_worker_is_combined_worker(workers[i])) continue;
    {
      const Lock lock(of(context));
      of(context).policy->add_worker(workers[i]);
    }
    starpu_sched_ctx_worker_shares_tasks_lists(workers[i], static_cast<int>(context));
  }
}

void remove_workers(unsigned context, int* workers, unsigned count) {
  WakeSet wake;
  for (unsigned i = 0; i < count; ++i) {
    if (starpu_worker_is_combined_worker(workers[i])) continue;
    const Lock lock(of(context));
    of(context).policy->remove_worker(workers[i], wake);
  }
  wake_up(wake);
}

void submit_hook(starpu_task* task) {
  Context& context = of(task->sched_ctx);
  const Lock lock(context);
  context.policy->submitted(task);
}

int push_task(starpu_task* task) {
  Context& context = of(task->sched_ctx);
  WakeSet wake;
  {
    const Lock lock(context);
    context.policy->push(task, wake);
    context.ready.fetch_add(1, std::memory_order_release);
    starpu_push_task_end(task);
  }
  wake_up(wake);
  return 0;
}

starpu_task* pop_task(unsigned id) {
  Context& context = of(id);
  const int worker = static_cast<int>(starpu_worker_get_id_check());
  const bool ended = std::exchange(context.busy[worker], false);
  if (!ended && context.ready.load(std::memory_order_acquire) == 0) return nullptr;
  WakeSet wake;
  starpu_task* task = nullptr;
  {
    const Lock lock(context);
    if (ended) context.policy->done(worker, wake);
    task = context.policy->pop(worker, wake);
    if (task != nullptr) context.ready.fetch_sub(1, std::memory_order_release);
  }
  context.busy[worker] = task != nullptr;
  wake_up(wake);
  return task;
}

}  // namespace

void start(unsigned context, std::unique_ptr<Policy> policy) {
  auto* const begun = new Context;
  begun->policy = std::move(policy);
  STARPU_PTHREAD_MUTEX_INIT(&begun->mutex, NULL);
  starpu_sched_ctx_set_policy_data(context, begun);
  if (starpu_sched_ctx_min_priority_is_set(context) == 0) {
    starpu_sched_ctx_set_min_priority(context, INT_MIN);
  }
  if (starpu_sched_ctx_max_priority_is_set(context) == 0) {
    starpu_sched_ctx_set_max_priority(context, INT_MAX);
  }
}

starpu_sched_policy functions() {
  starpu_sched_policy policy{};
  policy.deinit_sched = stop;
  policy.add_workers = add_workers;
  policy.remove_workers = remove_workers;
  policy.submit_hook = submit_hook;
  policy.push_task = push_task;
  policy.pop_task = pop_task;
  policy.worker_type = STARPU_WORKER_LIST;
  return policy;
}

}  // namespace espalier::adaptor
