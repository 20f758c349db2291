// SPDX-License-Identifier: BSD-3-Clause

#include "schedulers/policy.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <memory>
#include <mutex>
#include <utility>

#include "base/backoff.hpp"
#include "base/spin_pause.hpp"
#include "schedulers/decision_time.hpp"

namespace espalier::internal::adaptor {

namespace {

/// State of one worker in a context. An idle worker polls its own state.
struct alignas(64) WorkerState {
  std::atomic<bool> called{true};  ///< a task may be available for it
  bool busy = false;               ///< runs a task from pop(); only the worker itself reads this
};

/// Returns whether the process has fewer cores than StarPU has workers.
bool workers_share_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(getpid(), sizeof cores, &cores) != 0) return false;
  return CPU_COUNT(&cores) < static_cast<int>(starpu_worker_get_count());
}

/// Espalier's data in a scheduling context of StarPU.
struct Context {
  explicit Context(std::unique_ptr<Policy> begun) : policy(std::move(begun)) {
    // STARPU_PTHREAD_MUTEX_INIT leaves the initialization to the first lock, which may be a
    // trylock.
    starpu_pthread_mutex_init(&mutex, nullptr);
  }
  ~Context() { STARPU_PTHREAD_MUTEX_DESTROY(&mutex); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::shared_ptr<Policy> policy;  ///< null after the context has ended
  starpu_pthread_mutex_t mutex;
  std::array<WorkerState, STARPU_NMAXWORKERS> worker;
  WakeSet members;  ///< workers that were added to the policy
  std::atomic<unsigned> member_count{0};
  std::atomic<unsigned> additions{0};  ///< number of times that workers joined
  const bool shared_cores = workers_share_cores();
};

Context& of(unsigned context) {
  return *static_cast<Context*>(starpu_sched_ctx_get_policy_data(context));
}

/// The lock of a context. It is held for less than a microsecond, but a thread that sleeps until
/// the lock is free needs some microseconds to fall asleep and to wake up. So a thread first tries
/// for a few microseconds (experiment `lock` in docs/experiments.md). While it sleeps, it must let
/// other workers access its state (relax_on).
class Lock {
 public:
  explicit Lock(Context& context) : mutex_(context.mutex) {
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (starpu_pthread_mutex_trylock(&mutex_) == 0) return;
      for (int pause = 0; pause < pauses_an_attempt; ++pause) spin_pause();
    }
    starpu_worker_relax_on();
    STARPU_PTHREAD_MUTEX_LOCK(&mutex_);
    starpu_worker_relax_off();
  }
  ~Lock() { STARPU_PTHREAD_MUTEX_UNLOCK(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static constexpr int attempts = 20;
  static constexpr int pauses_an_attempt = 8;
  starpu_pthread_mutex_t& mutex_;
};

template <class Visit>
void for_each(const WakeSet& workers, Visit visit) {
  for (unsigned worker = 0; workers.any() && worker < starpu_worker_get_count(); ++worker) {
    if (workers.test(worker)) visit(static_cast<int>(worker));
  }
}

/// Marks workers as called. The caller must hold the lock, so that a call is not lost on a worker
/// that finds no task at the same time.
void call(Context& context, const WakeSet& wake) {
  for_each(wake, [&](int worker) {
    context.worker[worker].called.store(true, std::memory_order_release);
  });
}

#ifdef STARPU_NON_BLOCKING_DRIVERS
/// Does nothing: in this build of StarPU idle workers never sleep.
void wake_up(const WakeSet& /*wake*/) {}
#else
/// Wakes workers. The caller must not hold the lock, because the woken workers need it.
void wake_up(const WakeSet& wake) {
  for_each(wake, [](int worker) { starpu_wake_worker_relax_light(worker); });
}
#endif

/// The last contexts that ended. StarPU may delete a context while a worker waits for its lock or
/// has just released it, and does not report when the worker has left. Therefore this list keeps
/// contexts for a while after their deletion.
class EndedContexts {
 public:
  void add(Context* context) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Context>& oldest = ended_[next_++ % ended_.size()];
    oldest.reset(context);
  }

 private:
  std::mutex mutex_;
  std::array<std::unique_ptr<Context>, 16> ended_;
  std::size_t next_ = 0;
};

void stop(unsigned context) noexcept {
  static EndedContexts ended;
  Context& ending = of(context);
  {
    const Lock lock(ending);
    ending.members.reset();
    ending.policy.reset();
  }
  ended.add(&ending);
}

/// Returns the workers that StarPU lists in a context. The list does not change while a worker is
/// in a call of the policy.
WakeSet members_of(unsigned id) {
  int* workers = nullptr;
  const unsigned count = starpu_sched_ctx_get_workers_list_raw(id, &workers);
  WakeSet members;
  for (unsigned i = 0; i < count; ++i) members.set(static_cast<std::size_t>(workers[i]));
  return members;
}

/// Returns the given workers except combined workers.
WakeSet single_workers(const int* workers, unsigned count) {
  WakeSet single;
  for (unsigned i = 0; i < count; ++i) {
    if (!starpu_worker_is_combined_worker(workers[i])) {
      single.set(static_cast<std::size_t>(workers[i]));
    }
  }
  return single;
}

/// Removes workers from the policy. The caller must hold the lock.
void forget(Context& context, const WakeSet& workers, WakeSet& wake) {
  const WakeSet known = context.members & workers;
  context.members &= ~workers;
  context.member_count = static_cast<unsigned>(context.members.count());
  for_each(known, [&](int worker) { context.policy->remove_worker(worker, wake); });
  call(context, wake);
}

/// Removes workers that have left the context. StarPU reports them to a policy only when it deletes
/// the context, so workers check for them when they ask for a task.
void forget_who_left(unsigned id) {
  Context& context = of(id);
  const unsigned additions = context.additions;
  const WakeSet present = members_of(id);
  WakeSet wake;
  {
    const Lock lock(context);
    if (context.additions == additions) forget(context, ~present, wake);
  }
  wake_up(wake);
}

void add_workers(unsigned id, int* workers, unsigned count) noexcept {
  const WakeSet joining = single_workers(workers, count);
  if (joining.none()) return;  // the policy creates a combined worker and holds the lock
  Context& context = of(id);
  WakeSet wake;
  {
    const Lock lock(context);
    forget(context, ~members_of(id), wake);
    for_each(joining & ~context.members, [&](int worker) { context.policy->add_worker(worker); });
    context.members |= joining;
    context.member_count = static_cast<unsigned>(context.members.count());
    ++context.additions;
    context.policy->workers_added(id);
    call(context, joining);
  }
  for_each(joining, [&](int worker) {
    starpu_sched_ctx_worker_shares_tasks_lists(worker, static_cast<int>(id));
  });
  wake_up(wake);
}

void remove_workers(unsigned id, int* workers, unsigned count) noexcept {
  WakeSet wake;
  {
    const Lock lock(of(id));
    forget(of(id), single_workers(workers, count), wake);
  }
  wake_up(wake);
}

bool will_be_pushed(const starpu_task* task) {
  return task->cl != nullptr && task->where != STARPU_NOWHERE &&
         !task->execute_on_a_specific_worker;
}

void submit_hook(starpu_task* task) noexcept {
  if (!will_be_pushed(task)) return;
  Context& context = of(task->sched_ctx);
  const Lock lock(context);
  context.policy->submitted(task);
}

int push_task(starpu_task* task) noexcept {
  Context& context = of(task->sched_ctx);
  WakeSet wake;
  {
    const Lock lock(context);
    context.policy->push(task, wake);
    let_decision_pass();
    call(context, wake);
    starpu_push_task_end(task);
  }
  wake_up(wake);
  return 0;
}

/// Pauses an idle worker, because StarPU's idle workers spin. Without the pause it could keep the
/// core until its time slice ends, although another worker on that core has a task.
void pause_beside_others() {
  starpu_worker_relax_on();
  backoff_of_thread().pause();
  starpu_worker_relax_off();
}

starpu_task* pop_task(unsigned id) noexcept {
  Context& context = of(id);
  if (starpu_sched_ctx_get_nworkers(id) != context.member_count) forget_who_left(id);
  const int worker = static_cast<int>(starpu_worker_get_id_check());
  WorkerState& state = context.worker[worker];
  const bool ended = std::exchange(state.busy, false);
  if (!ended && !state.called.load(std::memory_order_acquire)) {
    if (context.shared_cores) pause_beside_others();
    return nullptr;
  }
  WakeSet wake;
  starpu_task* task = nullptr;
  {
    const Lock lock(context);
    if (context.policy == nullptr) return nullptr;
    if (ended) context.policy->done(worker, wake);
    const bool member = context.members.test(static_cast<std::size_t>(worker));
    task = member ? context.policy->pop(worker, wake) : nullptr;
    if (task != nullptr) {
      let_decision_pass();
    } else {
      state.called.store(false, std::memory_order_relaxed);
    }
    call(context, wake);
  }
  state.busy = task != nullptr;
  if (state.busy) backoff_of_thread().reset();
  wake_up(wake);
  if (task != nullptr) context.policy->without_lock(worker);
  return task;
}

}  // namespace

void start(unsigned context, std::unique_ptr<Policy> policy) {
  starpu_sched_ctx_set_policy_data(context, new Context(std::move(policy)));
  if (starpu_sched_ctx_min_priority_is_set(context) == 0) {
    starpu_sched_ctx_set_min_priority(context, INT_MIN);
  }
  if (starpu_sched_ctx_max_priority_is_set(context) == 0) {
    starpu_sched_ctx_set_max_priority(context, INT_MAX);
  }
}

void announce(starpu_task* task) noexcept {
  if (will_be_pushed(task)) of(task->sched_ctx).policy->announced(task);
}

void finish(starpu_task* task, unsigned id) noexcept {
  if (!will_be_pushed(task)) return;
  Context& context = of(id);
  // Keeps the policy alive if the context ends after the lock is released.
  std::shared_ptr<Policy> policy;
  WakeSet wake;
  {
    const Lock lock(context);
    policy = context.policy;
    if (policy == nullptr) return;
    policy->finished(task, wake);
    call(context, wake);
  }
  wake_up(wake);
  policy->without_lock(starpu_worker_get_id());
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

}  // namespace espalier::internal::adaptor
