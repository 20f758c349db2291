// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/hlevelset.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "schedulers/adaptor.hpp"
#include "schedulers/decide/level_barrier.hpp"
#include "schedulers/decide/w_partitions.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier {

namespace {

/// Where no model tells: as long as at 1 Gflop/s, and no less than a task takes at all.
double predicted_seconds(const TaskFacts& facts) {
  constexpr double shortest = 1e-6;
  return facts.seconds >= 0 ? facts.seconds : std::max(facts.flops * 1e-9, shortest);
}

class LevelCoarsening final : public Policy {
 public:
  void add_worker(int worker) override {
    forget(worker);
    worker_ids_.push_back(worker);
    workers_.set(static_cast<std::size_t>(worker));
  }

  void remove_worker(int worker, WakeSet& wake) override {
    forget(worker);
    barrier_.ended(worker);
    for (auto& [level, stage] : stages_) stage.parts.leave(worker);
    wake |= workers_;
  }

  void submitted(starpu_task* task) override {
    const TaskFacts facts = facts_at_submission(task);
    if (facts.l_partition >= 0) barrier_.submitted(facts.l_partition);
  }

  void push(starpu_task* task, WakeSet& wake) override {
    const TaskFacts facts = facts_of(task);
    const bool known = facts.l_partition >= 0;
    const Count level = known ? facts.l_partition : barrier_.unfold(facts.releaser);
    Stage& stage = stages_[level];
    stage.queue[arrive(stage, task, facts)].push(task, task->priority);
    ++stage.ready;
    if (barrier_.allows(level)) wake |= workers_;
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    const auto lowest = std::find_if(stages_.begin(), stages_.end(),
                                     [](const auto& stage) { return stage.second.ready > 0; });
    if (lowest == stages_.end() || !barrier_.allows(lowest->first)) return nullptr;
    Stage& stage = lowest->second;
    const std::optional<Index> part = stage.parts.choose(worker);
    starpu_task* const task = part ? stage.queue[*part].pop_for(worker) : nullptr;
    if (task == nullptr) return nullptr;
    stage.parts.take(*part, worker);
    --stage.ready;
    barrier_.started(worker, lowest->first);
    return task;
  }

  void done(int worker, WakeSet& wake) override {
    if (!barrier_.ended(worker)) return;
    std::erase_if(stages_, [&](const auto& stage) { return !barrier_.is_open(stage.first); });
    wake |= workers_;
  }

 private:
  /// An l-partition at work, or a generation of tasks that tell none.
  struct Stage {
    WPartitions parts;
    std::map<Index, ReadyHeap> queue;  ///< by w-partition
    Count ready = 0;
  };

  /// The w-partition of a task, which every worker must be able to execute to follow the rest.
  Index arrive(Stage& stage, starpu_task* task, const TaskFacts& facts) {
    std::vector<int> able;
    for (const int worker : worker_ids_) {
      if (can_execute(worker, task)) able.push_back(worker);
    }
    if (facts.w_partition < 0 || able.size() < worker_ids_.size()) {
      return stage.parts.arrive_alone(able, predicted_seconds(facts));
    }
    stage.parts.arrive(facts.w_partition);
    return facts.w_partition;
  }

  void forget(int worker) {
    std::erase(worker_ids_, worker);
    workers_.reset(static_cast<std::size_t>(worker));
  }

  WakeSet workers_;
  std::vector<int> worker_ids_;
  LevelBarrier barrier_;
  std::map<Count, Stage> stages_;
};

}  // namespace

starpu_sched_policy hlevelset_policy = adapt<LevelCoarsening>(
    "hlevelset", "levels merged for balance, whole trees on one worker, a barrier after each");

}  // namespace espalier
