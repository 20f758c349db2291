// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "schedulers/decide/levelset.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

/// Base of the policies with a barrier between levels. Each policy chooses the number that counts
/// as the level of a task.
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
  /// Returns the level of a ready task. Must be called once per task.
  Count arrive(const TaskFacts& facts) {
    const Index level = facts.*level_;
    return level >= 0 ? level : barrier_.unfold(starpu_worker_get_id());
  }

  void wake_for(Count level, WakeSet& wake) const {
    if (barrier_.allows(level)) wake |= workers_;
  }

  const WakeSet& workers() const { return workers_; }
  LevelBarrier& barrier() { return barrier_; }

 private:
  Index TaskFacts::*level_;
  WakeSet workers_;
  LevelBarrier barrier_;
};

/// Base of the policies that run the l-partitions of an H-level set one after another. `Stage`
/// holds a policy's tasks of one open l-partition, or of one level of tasks without an l-partition.
/// Its member `Count ready` counts the tasks that workers may take.
template <class Stage>
class PartitionPolicy : public LevelPolicy {
 public:
  PartitionPolicy() : LevelPolicy(&TaskFacts::l_partition) {}

  void done(int worker, WakeSet& wake) override {
    LevelPolicy::done(worker, wake);
    std::erase_if(stages_, [&](const auto& stage) { return !barrier().is_open(stage.first); });
  }

 protected:
  /// Returns the stage that workers should take tasks from, with its level, or null.
  std::pair<const Count, Stage>* open_stage() {
    const auto lowest = std::find_if(stages_.begin(), stages_.end(),
                                     [](const auto& stage) { return stage.second.ready > 0; });
    return lowest == stages_.end() || !barrier().allows(lowest->first) ? nullptr : &*lowest;
  }

  /// Records that the worker starts a task of the stage.
  void start(std::pair<const Count, Stage>& stage, int worker) {
    --stage.second.ready;
    barrier().started(worker, stage.first);
  }

  std::map<Count, Stage>& stages() { return stages_; }

 private:
  std::map<Count, Stage> stages_;
};

}  // namespace espalier::internal
