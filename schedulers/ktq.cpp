// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/ktq.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "schedulers/gang.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

namespace {

/// A worker looks into its instant queue, its batch, the shared queue, the batches of others, and
/// the queue of data-parallel tasks, in this order: a task for all workers interrupts nobody.
/// Instant tasks run on CPUs. A device takes batches, and large tasks whole: it is the other way to
/// run one data-parallel.
class KernelTaskQueues final : public Policy {
 public:
  void add_worker(int worker) override { workers_.set(static_cast<std::size_t>(worker)); }

  void workers_added(unsigned context) override {
    gang_.assemble(cpu_workers(), context == initial_context && !started_);
    started_ = true;
  }

  void remove_worker(int worker, WakeSet& wake) override {
    workers_.reset(static_cast<std::size_t>(worker));
    for (auto* const queue : {&own_[worker].instant, &own_[worker].batch}) {
      for (starpu_task* const task : *queue) shared_.push(task, task->priority);
      queue->clear();
    }
    gang_.assemble(cpu_workers(), false);
    wake |= workers_;
  }

  void submitted(starpu_task* task) override { remaining_ += known_work(task); }

  void push(starpu_task* task, WakeSet& wake) override {
    const TaskFacts facts = facts_of(task);
    const bool divisible = facts.parallel && gang_.can_execute(task);
    switch (queue_of(predicted_seconds(facts), divisible, limits(task))) {
      case KernelQueue::instant: {
        const int worker = instant_worker(facts.releaser, task);
        if (worker < 0) break;
        own_[worker].instant.push_back(task);
        wake.set(static_cast<std::size_t>(worker));
        return;
      }
      case KernelQueue::data_parallel:
        data_parallel_.push(task, task->priority);
        wake |= workers_;
        return;
      case KernelQueue::task_parallel: break;
    }
    shared_.push(task, task->priority);
    wake |= workers_;
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    starpu_task* const task = next(worker);
    if (task != nullptr) remaining_ = std::max(0.0, remaining_ - known_work(task));
    return task;
  }

 private:
  static constexpr unsigned initial_context = 0;  ///< the one that StarPU makes while it starts

  struct OwnQueues {
    std::deque<starpu_task*> instant;
    std::deque<starpu_task*> batch;
  };

  bool is_here(int worker) const {
    return worker >= 0 && workers_.test(static_cast<std::size_t>(worker));
  }

  std::vector<int> cpu_workers() const {
    std::vector<int> found;
    for (int worker = 0; worker < static_cast<int>(starpu_worker_get_count()); ++worker) {
      if (is_here(worker) && !is_device(worker)) found.push_back(worker);
    }
    return found;
  }

  /// Returns the worker that released the task; where that is a device, the CPU worker with the
  /// fewest instant tasks. -1 where there is none.
  int instant_worker(int releaser, starpu_task* task) const {
    if (!is_here(releaser)) return -1;
    if (!is_device(releaser)) return can_execute(releaser, task) ? releaser : -1;
    int fewest = -1;
    for (const int worker : cpu_workers()) {
      if (!can_execute(worker, task)) continue;
      if (fewest < 0 || own_[worker].instant.size() < own_[fewest].instant.size()) fewest = worker;
    }
    return fewest;
  }

  /// Returns the seconds of work that are known from the submission of a task on.
  static double known_work(starpu_task* task) {
    return std::max(0.0, predicted_seconds(facts_at_submission(task)));
  }

  /// Returns the limits of the user, else those derived for the work that remains; where that is
  /// not known no task counts as large.
  KernelQueueLimits limits(starpu_task* task) const {
    KernelQueueLimits limits = derived_limits(static_cast<Index>(workers_.count()), remaining_);
    if (known_work(task) == 0) limits.data_parallel = KernelQueueLimits{}.data_parallel;
    limits.instant = settings_.number("inst_us", limits.instant * 1e6) * 1e-6;
    limits.data_parallel = settings_.number("dpq_us", limits.data_parallel * 1e6) * 1e-6;
    if (queues_ == "dpq") limits.instant = 0;
    if (queues_ != "all") limits.data_parallel = limits.instant;
    return limits;
  }

  starpu_task* next(int worker) {
    for (auto* const queue : {&own_[worker].instant, &own_[worker].batch}) {
      if (queue->empty()) continue;
      starpu_task* const task = queue->front();
      queue->pop_front();
      return task;
    }
    if (starpu_task* const task = take_batch(worker)) return task;
    if (starpu_task* const task = steal(worker)) return task;
    return take_data_parallel(worker);
  }

  /// Returns the first task of a new batch; the others wait in the worker's queue.
  starpu_task* take_batch(int worker) {
    Batch batch(most_in_batch_, shared_.size(), static_cast<Index>(workers_.count()));
    starpu_task* const first = shared_.pop_for(worker);
    if (first == nullptr) return nullptr;
    batch.add(facts_at_submission(first));
    while (starpu_task* const task = shared_.first()) {
      const TaskFacts facts = facts_at_submission(task);
      if (!batch.has_room_for(facts) || !can_execute(worker, task)) break;
      own_[worker].batch.push_back(shared_.pop());
      batch.add(facts);
    }
    return first;
  }

  /// Returns the last task of the longest batch that has one for the thief.
  starpu_task* steal(int thief) {
    std::deque<starpu_task*>* longest = nullptr;
    for (OwnQueues& own : own_) {
      if (own.batch.empty() || !can_execute(thief, own.batch.back())) continue;
      if (longest == nullptr || own.batch.size() > longest->size()) longest = &own.batch;
    }
    if (longest == nullptr) return nullptr;
    starpu_task* const task = longest->back();
    longest->pop_back();
    return task;
  }

  /// Its leader goes on after a gang has ended, so others need not wait for that. Where no gang can
  /// be had a worker takes the task alone.
  starpu_task* take_data_parallel(int worker) {
    if (data_parallel_.empty()) return nullptr;
    if (gang_.exists() && !is_device(worker)) {
      if (gang_.at_work() && is_here(gang_.leader())) return nullptr;
      if (starpu_task* const part = gang_.start(data_parallel_.first(), worker)) {
        data_parallel_.pop();
        return part;
      }
    }
    return data_parallel_.pop_for(worker);
  }

  const PolicySettings settings_ = policy_settings("ktq");
  const std::string queues_ = settings_.text("queues");
  const Count most_in_batch_ = static_cast<Count>(settings_.number("batch", 0));

  WakeSet workers_;
  bool started_ = false;
  Gang gang_;
  std::vector<OwnQueues> own_{STARPU_NMAXWORKERS};  ///< by worker
  ReadyHeap shared_;
  ReadyHeap data_parallel_;
  double remaining_ = 0;  ///< seconds of work submitted, but not begun
};

starpu_sched_policy made() {
  starpu_sched_policy policy =
      adapt<KernelTaskQueues>("ktq", "by predicted time: at once, side by side, or by all workers");
  policy.post_exec_hook = Gang::ended;
  return policy;
}

}  // namespace

const starpu_sched_policy ktq_policy = made();

}  // namespace espalier::internal
