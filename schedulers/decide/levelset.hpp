// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

/// Returns the predicted seconds of a task. Without a prediction: the time at 1 Gflop/s, at least
/// one microsecond.
inline double seconds_or_estimate(const TaskFacts& facts) {
  constexpr double shortest = 1e-6;
  return facts.seconds >= 0 ? facts.seconds : std::max(facts.flops * 1e-9, shortest);
}

/// Tasks in levels with a barrier after each level: a task starts once all known tasks of lower
/// levels have ended.
///
/// A task whose program states no level gets one when it becomes ready. The level is 0 if the
/// submitting thread made it ready, else one more than the level of the task that released it. The
/// releasing task was the last of the predecessors to end. Under barriers no other predecessor has
/// a higher level.
///
/// The barrier never deadlocks: if no task runs, the lowest level with ready tasks may start, even
/// if tasks of lower levels have not ended. Those tasks then wait for this level or for an event
/// outside the graph.
class LevelBarrier {
 public:
  /// Records that a task of a known level was submitted.
  void submitted(Count level) { ++open_[level]; }

  /// Records that a task without a level is ready and returns its level. `releaser` is the worker
  /// whose task released it, or -1.
  Count unfold(int releaser) {
    const auto at = last_.find(releaser);
    const Count level = at == last_.end() ? 0 : at->second + 1;
    ++open_[level];
    return level;
  }

  /// Returns whether tasks of this level may start, provided that no task of a lower level is
  /// ready.
  bool allows(Count level) const {
    return running_.empty() || open_.empty() || level <= open_.begin()->first;
  }

  void started(int worker, Count level) {
    running_[worker] = level;
    last_[worker] = level;
  }

  /// Records the end of the worker's task, if it has one. Returns whether other tasks may start
  /// because of it.
  bool ended(int worker) {
    const auto task = running_.find(worker);
    if (task == running_.end()) return false;
    const auto level = open_.find(task->second);
    running_.erase(task);
    if (--level->second > 0) return running_.empty();
    open_.erase(level);
    return true;
  }

  /// Returns whether some known task of this level has not ended.
  bool is_open(Count level) const { return open_.contains(level); }

 private:
  std::map<Count, Count> open_;   ///< tasks of each level that have not ended
  std::map<int, Count> running_;  ///< level of the task that each worker runs
  std::map<int, Count> last_;     ///< level of a worker's last task
};

/// The w-partitions of one l-partition and their owners. All tasks of a w-partition go to the
/// worker that took its first task. A task without a w-partition goes to the worker with the fewest
/// predicted seconds of such tasks.
class WPartitions {
 public:
  /// Records that a task of the w-partition is ready.
  void arrive(Index part) { ++parts_[part].ready; }

  /// Records that a task without a w-partition is ready. `able` lists the workers that can execute
  /// it. Returns the (negative) number of the partition that the task joins. The chosen worker owns
  /// this partition. If `able` is empty, nobody owns it.
  Index arrive_alone(std::span<const int> able, double seconds) {
    if (able.empty()) {
      arrive(nobodys);
      return nobodys;
    }
    int chosen = able.front();
    for (const int worker : able) {
      if (seconds_[worker] < seconds_[chosen]) chosen = worker;
    }
    seconds_[chosen] += seconds;
    Part& part = parts_[-1 - chosen];
    part.owner = chosen;
    ++part.ready;
    return -1 - chosen;
  }

  /// Returns the partition of the worker's next task: the first one for which has_one(number) is
  /// true. Partitions of the worker come first, then partitions without an owner.
  template <class HasOne>
  std::optional<Index> choose(int worker, HasOne has_one) const {
    for (const int owner : {worker, -1}) {
      for (const auto& [number, part] : parts_) {
        if (part.ready > 0 && part.owner == owner && has_one(number)) return number;
      }
    }
    return std::nullopt;
  }

  /// Records that the worker starts a task of the partition.
  void take(Index number, int worker) {
    Part& part = parts_.at(number);
    if (number != nobodys) part.owner = worker;
    --part.ready;
  }

  /// Makes the worker's partitions ownerless, because it takes no further tasks.
  void leave(int worker) {
    for (auto& [number, part] : parts_) {
      if (part.owner == worker) part.owner = -1;
    }
  }

 private:
  static constexpr Index nobodys = std::numeric_limits<Index>::min();

  struct Part {
    int owner = -1;
    Count ready = 0;
  };
  std::map<Index, Part> parts_;
  std::map<int, double> seconds_;  ///< seconds of tasks without a w-partition, by worker
};

/// The groups of workers for the tasks of one l-partition. Its w-partitions are distributed evenly
/// over the groups (swCholesky, section 3.1). A task without a w-partition, or one that its group
/// cannot execute, goes to the able group with the fewest predicted seconds of such tasks.
class GroupsOfPartitions {
 public:
  /// Returns the number of the task's group, below `groups`. `able` lists the groups that can
  /// execute the task; if it is empty, returns 0.
  int choose(Index w_partition, std::span<const int> able, Index groups, double seconds) {
    const int own = w_partition < 0 ? -1 : w_partition % groups;
    if (std::find(able.begin(), able.end(), own) != able.end()) return own;
    return able.empty() ? 0 : -1 - alone_.arrive_alone(able, seconds);
  }

 private:
  WPartitions alone_;
};

}  // namespace espalier::internal
