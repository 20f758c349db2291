// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/levelset.hpp"

#include <map>

#include "schedulers/adaptor.hpp"
#include "schedulers/level_policy.hpp"
#include "schedulers/ready_heap.hpp"

namespace espalier {

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

starpu_sched_policy levelset_policy =
    adapt<LevelByLevel>("levelset", "level by level of the tree, with a barrier after each");

}  // namespace espalier
