// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/levelset.hpp"

#include <map>

#include "schedulers/adaptor.hpp"
#include "schedulers/decide/level_barrier.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier {

namespace {

class LevelByLevel final : public Policy {
 public:
  void add_worker(int worker) override { workers_.set(static_cast<std::size_t>(worker)); }

  void remove_worker(int worker, WakeSet& wake) override {
    workers_.reset(static_cast<std::size_t>(worker));
    barrier_.ended(worker);
    wake |= workers_;
  }

  void submitted(starpu_task* task) override {
    const TaskFacts facts = facts_at_submission(task);
    if (facts.level >= 0) barrier_.submitted(facts.level);
  }

  void push(starpu_task* task, WakeSet& wake) override {
    const TaskFacts facts = facts_at_submission(task);
    const Count level = facts.level >= 0 ? facts.level : barrier_.unfold(starpu_worker_get_id());
    ready_[level].push(task, task->priority);
    if (barrier_.allows(level)) wake |= workers_;
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    if (ready_.empty()) return nullptr;
    const auto lowest = ready_.begin();
    const Count level = lowest->first;
    if (!barrier_.allows(level)) return nullptr;
    starpu_task* const task = lowest->second.pop_for(worker);
    if (lowest->second.empty()) ready_.erase(lowest);
    if (task != nullptr) barrier_.started(worker, level);
    return task;
  }

  void done(int worker, WakeSet& wake) override {
    if (barrier_.ended(worker)) wake |= workers_;
  }

 private:
  WakeSet workers_;
  LevelBarrier barrier_;
  std::map<Count, ReadyHeap> ready_;  ///< by level
};

}  // namespace

starpu_sched_policy levelset_policy =
    adapt<LevelByLevel>("levelset", "level by level of the tree, with a barrier after each");

}  // namespace espalier
