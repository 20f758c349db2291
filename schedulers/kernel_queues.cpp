// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/kernel_queues.hpp"

#include <algorithm>
#include <string>

#include "schedulers/task_facts.hpp"

namespace espalier::internal {

namespace {

/// Returns a time in seconds that the user gives in microseconds, negative if the option is `auto`.
double seconds_of(const PolicySettings& settings, std::string_view key) {
  return settings.number(key, -1) * 1e-6;
}

KernelQueueRules rules_of(const PolicySettings& settings) {
  using InUse = KernelQueueRules::InUse;
  const std::string& queues = settings.text("queues");
  KernelQueueRules rules;
  if (queues == "inst+dpq") rules.in_use = InUse::instant_and_data_parallel;
  if (queues == "dpq") rules.in_use = InUse::data_parallel;
  rules.by_size = settings.text("limits") == "size";
  rules.instant_seconds = seconds_of(settings, "inst_us");
  rules.data_parallel_seconds = seconds_of(settings, "dpq_us");
  rules.sizes = {settings.number("inst_size"), settings.number("dpq_size")};
  return rules;
}

}  // namespace

KernelQueueSettings::KernelQueueSettings(const PolicySettings& settings)
    : rules(rules_of(settings)),
      most_in_batch(static_cast<Count>(settings.number("batch", 0))),
      by_supernode(settings.text("partitions") == "hlevelset") {}

std::vector<int> cpu_workers_of(const WakeSet& workers) {
  std::vector<int> found;
  for (int worker = 0; worker < static_cast<int>(starpu_worker_get_count()); ++worker) {
    if (workers.test(static_cast<std::size_t>(worker)) && !is_device(worker)) {
      found.push_back(worker);
    }
  }
  return found;
}

void KernelQueues::push(starpu_task* task, const TaskFacts& facts, double remaining,
                        WakeSet& wake) {
  const bool divisible = facts.parallel && group_.gang.can_execute(task);
  const auto workers = static_cast<Index>(group_.workers.count());
  KernelQueue queue = settings_.rules.choose(facts, divisible, workers, remaining);
  if (queue == KernelQueue::instant) {
    const int worker = instant_worker(facts.releaser, task);
    if (worker >= 0) {
      note_queue(task, queue);
      own_[worker].instant.push_back(task);
      wake.set(static_cast<std::size_t>(worker));
      return;
    }
    queue = KernelQueue::task_parallel;
  }
  note_queue(task, queue);
  ReadyHeap& heap = queue == KernelQueue::data_parallel ? data_parallel_ : shared_;
  (is_for_devices_alone(task) ? for_devices_ : heap).push(task, rank_of(task, facts));
  wake |= group_.workers;
}

/// Returns the rank of a task in a queue; the task with the largest rank is first.
double KernelQueues::rank_of(starpu_task* task, const TaskFacts& facts) const {
  const bool by_supernode = settings_.by_supernode && facts.ours && facts.column >= 0;
  return by_supernode ? -facts.column : task->priority;
}

starpu_task* KernelQueues::pop(int worker, double remaining) {
  const Asking asking{worker, remaining, static_cast<Index>(cpu_workers_of(group_.workers).size())};
  if (starpu_task* const task = take_own(worker)) return task;
  if (starpu_task* const task = for_devices_.pop_for(worker)) return task;
  if (starpu_task* const task = take_batch(asking)) return task;
  if (starpu_task* const task = steal(asking)) return task;
  return take_data_parallel(asking);
}

bool KernelQueues::Asking::may_take(starpu_task* task) const {
  if (!can_execute(worker, task)) return false;
  return !is_device(worker) || device_helps(facts_of(task), remaining, cpu_workers);
}

/// Returns the first task of the heap that the worker may take. A device examines only the first
/// tasks, because examining all takes too long. It waits if device_helps() is false for all of
/// them.
starpu_task* KernelQueues::Asking::first_of(ReadyHeap& heap) const {
  constexpr std::size_t looked_at = 256;
  if (!is_device(worker)) return heap.pop_for(worker);
  return heap.pop_if([this](starpu_task* task) { return may_take(task); }, looked_at);
}

void KernelQueues::leave(int worker) {
  while (starpu_task* const task = take_own(worker)) {
    shared_.push(task, rank_of(task, facts_at_submission(task)));
  }
  own_.erase(worker);
}

/// Returns whether only the group's devices can execute the task. Without CPU workers the result is
/// false, because devices then serve all queues.
bool KernelQueues::is_for_devices_alone(starpu_task* task) const {
  const std::vector<int> cpus = cpu_workers_of(group_.workers);
  return !cpus.empty() && cpus.size() < group_.workers.count() &&
         std::none_of(cpus.begin(), cpus.end(),
                      [task](int worker) { return can_execute(worker, task); });
}

std::vector<starpu_task*> KernelQueues::drain() {
  std::vector<starpu_task*> tasks;
  for (auto& [worker, own] : own_) {
    while (starpu_task* const task = take_own(worker)) tasks.push_back(task);
  }
  for (ReadyHeap* const heap : {&shared_, &data_parallel_, &for_devices_}) {
    while (starpu_task* const task = heap->pop()) tasks.push_back(task);
  }
  return tasks;
}

/// Returns the worker that released the task. If that is a device, returns the CPU worker with the
/// fewest instant tasks. Returns -1 if no such worker of the group can execute the task.
int KernelQueues::instant_worker(int releaser, starpu_task* task) {
  if (!is_here(releaser)) return -1;
  if (!is_device(releaser)) return can_execute(releaser, task) ? releaser : -1;
  int fewest = -1;
  for (const int worker : cpu_workers_of(group_.workers)) {
    if (!can_execute(worker, task)) continue;
    if (fewest < 0 || own_[worker].instant.size() < own_[fewest].instant.size()) fewest = worker;
  }
  return fewest;
}

starpu_task* KernelQueues::take_own(int worker) {
  for (auto* const queue : {&own_[worker].instant, &own_[worker].batch}) {
    if (queue->empty()) continue;
    starpu_task* const task = queue->front();
    queue->pop_front();
    return task;
  }
  return nullptr;
}

/// Returns the first task of a new batch. The other tasks of the batch wait in the worker's own
/// queue.
starpu_task* KernelQueues::take_batch(const Asking& asking) {
  Batch batch(settings_.most_in_batch, shared_.size(), static_cast<Index>(group_.workers.count()));
  starpu_task* const first = asking.first_of(shared_);
  if (first == nullptr) return nullptr;
  batch.add(facts_at_submission(first));
  while (starpu_task* const task = shared_.first()) {
    const TaskFacts facts = facts_at_submission(task);
    if (!batch.has_space_for(facts) || !asking.may_take(task)) break;
    own_[asking.worker].batch.push_back(shared_.pop());
    batch.add(facts);
  }
  return first;
}

/// Returns the last task of the longest batch whose last task the thief may take.
starpu_task* KernelQueues::steal(const Asking& thief) {
  std::deque<starpu_task*>* longest = nullptr;
  for (auto& [worker, own] : own_) {
    if (own.batch.empty() || !thief.may_take(own.batch.back())) continue;
    if (longest == nullptr || own.batch.size() > longest->size()) longest = &own.batch;
  }
  if (longest == nullptr) return nullptr;
  starpu_task* const task = longest->back();
  longest->pop_back();
  return task;
}

/// Returns the worker's part of a data-parallel task. While a gang runs, other workers need not
/// wait for its end, because its leader starts the next task. If no gang is free, the worker runs
/// the task alone.
starpu_task* KernelQueues::take_data_parallel(const Asking& asking) {
  if (data_parallel_.empty()) return nullptr;
  Gang& gang = group_.gang;
  if (gang.exists() && !is_device(asking.worker)) {
    if (gang.at_work() && is_here(gang.leader())) return nullptr;
    if (starpu_task* const part = gang.start(data_parallel_.first(), asking.worker)) {
      data_parallel_.pop();
      return part;
    }
  }
  return asking.first_of(data_parallel_);
}

}  // namespace espalier::internal
