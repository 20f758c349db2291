// SPDX-License-Identifier: BSD-3-Clause

#include "schedulers/decide/levelset.hpp"

#include <map>
#include <optional>
#include <vector>

#include "schedulers/level_policy.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/ready_heap.hpp"
#include "schedulers/task_facts.hpp"

namespace espalier::internal {

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

const OwnPolicy levelset_policy{
    adapt<LevelByLevel>("levelset", "level by level of the tree, with a barrier after each"), {}};

namespace {

struct WorkersStage {
  WPartitions parts;
  std::map<Index, ReadyHeap> queue{};  ///< by w-partition
  Count ready = 0;
};

class LevelCoarsening final : public PartitionPolicy<WorkersStage> {
 public:
  void add_worker(int worker) override {
    std::erase(worker_ids_, worker);
    worker_ids_.push_back(worker);
    LevelPolicy::add_worker(worker);
  }

  void remove_worker(int worker, WakeSet& wake) override {
    std::erase(worker_ids_, worker);
    for (auto& [level, stage] : stages()) stage.parts.leave(worker);
    LevelPolicy::remove_worker(worker, wake);
  }

  void push(starpu_task* task, WakeSet& wake) override {
    const TaskFacts facts = facts_of(task);
    const Count level = arrive(facts);
    WorkersStage& stage = stages()[level];
    stage.queue[part_of(stage, task, facts)].push(task, task->priority);
    ++stage.ready;
    wake_for(level, wake);
  }

  starpu_task* pop(int worker, WakeSet& /*wake*/) override {
    auto* const lowest = open_stage();
    if (lowest == nullptr) return nullptr;
    WorkersStage& stage = lowest->second;
    starpu_task* task = nullptr;
    const std::optional<Index> part = stage.parts.choose(worker, [&](Index number) {
      task = stage.queue[number].pop_for(worker);
      return task != nullptr;
    });
    if (!part) return nullptr;
    stage.parts.take(*part, worker);
    start(*lowest, worker);
    return task;
  }

 private:
  /// Returns the w-partition of a task. A task that some worker cannot execute does not join its
  /// own w-partition.
  Index part_of(WorkersStage& stage, starpu_task* task, const TaskFacts& facts) {
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
};

PolicyNeeds level_needs(const PolicySettings& settings) {
  return {.levels = {static_cast<Index>(settings.number("levels")),
                     static_cast<Index>(settings.number("parts"))}};
}

}  // namespace

const OwnPolicy hlevelset_policy{
    adapt<LevelCoarsening>("hlevelset",
                           "merged levels with a barrier after each; one worker per w-partition"),
    {.needs = level_needs}};

}  // namespace espalier::internal
