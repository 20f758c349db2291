// SPDX-License-Identifier: BSD-3-Clause

#include "schedulers/decide/levelset.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "schedulers/own_policies.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

/// What policies with a barrier between levels share; which number of a task counts as its level is
/// theirs.
class LevelPolicy : public Policy {
 public:
  explicit LevelPolicy(Index TaskFacts::*level) : level_(level) {}

  void add_worker(int worker) override { workers_.set(static_cast<std::size_t>(worker)); }

  void remove_worker(int worker, WakeSet& wake) override {
    workers_.reset(static_cast<std::size_t>(worker));
    barrier_.ended(worker);
    wake |= workers_;
  }

  void submitted(starpu_task* task) override {
    const Index level = facts_at_submission(task).*level_;
    if (level >= 0) barrier_.submitted(level);
  }

  void done(int worker, WakeSet& wake) override {
    if (barrier_.ended(worker)) wake |= workers_;
  }

 protected:
  /// Returns the level of a task that is ready; called once for each.
  Count arrive(const TaskFacts& facts) {
    const Index level = facts.*level_;
    return level >= 0 ? level : barrier_.unfold(starpu_worker_get_id());
  }

  void wake_for(Count level, WakeSet& wake) const {
    if (barrier_.allows(level)) wake |= workers_;
  }

  LevelBarrier& barrier() { return barrier_; }

 private:
  Index TaskFacts::*level_;
  WakeSet workers_;
  LevelBarrier barrier_;
};

namespace {

class LevelByLevel final : public LevelPolicy {
 public:
  LevelByLevel() : LevelPolicy(&TaskFacts::level) {}

  void push(starpu_task* task, WakeSet& wake) override {
    const Count level = arrive(facts_at_submission(task));
    ready_[level].push(task, task->priority);
    wake_for(level, wake);
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    if (ready_.empty()) return nullptr;
    const auto lowest = ready_.begin();
    const Count level = lowest->first;
    if (!barrier().allows(level)) return nullptr;
    starpu_task* const task = lowest->second.pop_for(worker);
    if (lowest->second.empty()) ready_.erase(lowest);
    if (task != nullptr) barrier().started(worker, level);
    return task;
  }

 private:
  std::map<Count, ReadyHeap> ready_;  ///< by level
};

}  // namespace

const starpu_sched_policy levelset_policy =
    adapt<LevelByLevel>("levelset", "level by level of the tree, with a barrier after each");

namespace {

/// Estimates where no model tells: as long as at 1 Gflop/s, and no less than a task takes at all.
double seconds_or_estimate(const TaskFacts& facts) {
  constexpr double shortest = 1e-6;
  return facts.seconds >= 0 ? facts.seconds : std::max(facts.flops * 1e-9, shortest);
}

class LevelCoarsening final : public LevelPolicy {
 public:
  LevelCoarsening() : LevelPolicy(&TaskFacts::l_partition) {}

  void add_worker(int worker) override {
    std::erase(worker_ids_, worker);
    worker_ids_.push_back(worker);
    LevelPolicy::add_worker(worker);
  }

  void remove_worker(int worker, WakeSet& wake) override {
    std::erase(worker_ids_, worker);
    for (auto& [level, stage] : stages_) stage.parts.leave(worker);
    LevelPolicy::remove_worker(worker, wake);
  }

  void push(starpu_task* task, WakeSet& wake) override {
    const TaskFacts facts = facts_of(task);
    const Count level = arrive(facts);
    Stage& stage = stages_[level];
    stage.queue[part_of(stage, task, facts)].push(task, task->priority);
    ++stage.ready;
    wake_for(level, wake);
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    const auto lowest = std::find_if(stages_.begin(), stages_.end(),
                                     [](const auto& stage) { return stage.second.ready > 0; });
    if (lowest == stages_.end() || !barrier().allows(lowest->first)) return nullptr;
    Stage& stage = lowest->second;
    starpu_task* task = nullptr;
    const std::optional<Index> part = stage.parts.choose(worker, [&](Index number) {
      task = stage.queue[number].pop_for(worker);
      return task != nullptr;
    });
    if (!part) return nullptr;
    stage.parts.take(*part, worker);
    --stage.ready;
    barrier().started(worker, lowest->first);
    return task;
  }

  void done(int worker, WakeSet& wake) override {
    LevelPolicy::done(worker, wake);
    std::erase_if(stages_, [&](const auto& stage) { return !barrier().is_open(stage.first); });
  }

 private:
  /// An l-partition at work, or a generation of tasks that tell none.
  struct Stage {
    WPartitions parts;
    std::map<Index, ReadyHeap> queue;  ///< by w-partition
    Count ready = 0;
  };

  /// Returns the w-partition of a task, which every worker must be able to execute to follow the
  /// rest.
  Index part_of(Stage& stage, starpu_task* task, const TaskFacts& facts) {
    std::vector<int> able;
    for (const int worker : worker_ids_) {
      if (can_execute(worker, task)) able.push_back(worker);
    }
    if (facts.w_partition < 0 || able.size() < worker_ids_.size()) {
      return stage.parts.arrive_alone(able, seconds_or_estimate(facts));
    }
    stage.parts.arrive(facts.w_partition);
    return facts.w_partition;
  }

  std::vector<int> worker_ids_;
  std::map<Count, Stage> stages_;
};

}  // namespace

const starpu_sched_policy hlevelset_policy = adapt<LevelCoarsening>(
    "hlevelset", "levels merged for balance, whole trees on one worker, a barrier after each");

}  // namespace espalier::internal
