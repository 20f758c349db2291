// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedulers/decide/level_barrier.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier {

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
  /// Of a task that is ready; once for each.
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

}  // namespace espalier
