// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

/// Estimates where no model tells: as long as at 1 Gflop/s, and no less than a task takes at all.
inline double seconds_or_estimate(const TaskFacts& facts) {
  constexpr double shortest = 1e-6;
  return facts.seconds >= 0 ? facts.seconds : std::max(facts.flops * 1e-9, shortest);
}

/// Tasks in levels, with a barrier above each: a task starts once all tasks of lower levels that
/// are known have ended. Tasks of programs that tell no level get one as their graph unfolds: 0
/// where the program made them ready, else one more than the task that released them. That one
/// ended as the last of all that they waited for, and under barriers none of these is deeper.
///
/// Nothing waits for ever, whatever a program does: where no task runs, the lowest level that has
/// ready tasks may start. Its predecessors in level then wait for it, or for something outside of
/// the graph.
class LevelBarrier {
 public:
  /// A task of a known level was submitted.
  void submitted(Count level) { ++open_[level]; }

  /// A task that tells no level is ready, released by that worker, or by none (-1). Returns its
  /// level.
  Count unfold(int releaser) {
    const auto at = last_.find(releaser);
    const Count level = at == last_.end() ? 0 : at->second + 1;
    ++open_[level];
    return level;
  }

  /// Returns whether tasks of this level may start, where none of a lower one is ready.
  bool allows(Count level) const {
    return running_.empty() || open_.empty() || level <= open_.begin()->first;
  }

  void started(int worker, Count level) {
    running_[worker] = level;
    last_[worker] = level;
  }

  /// The task of the worker, if it has one, has ended. Returns whether others may start for that.
  bool ended(int worker) {
    const auto task = running_.find(worker);
    if (task == running_.end()) return false;
    const auto level = open_.find(task->second);
    running_.erase(task);
    if (--level->second > 0) return running_.empty();
    open_.erase(level);
    return true;
  }

  /// Returns whether tasks of this level are known that have not ended.
  bool is_open(Count level) const { return open_.contains(level); }

 private:
  std::map<Count, Count> open_;   ///< tasks of each level that have not ended
  std::map<int, Count> running_;  ///< level of the task that a worker is at
  std::map<int, Count> last_;     ///< level of a worker's last task
};

/// The w-partitions of one l-partition and whose they are: all tasks of one go to the worker that
/// took the first of them. Tasks without a w-partition are dealt out as they come, to the worker
/// with the least predicted seconds so far.
class WPartitions {
 public:
  /// A task of the w-partition is ready.
  void arrive(Index part) { ++parts_[part].ready; }

  /// A task without a w-partition is ready, which these workers can execute. Returns the number,
  /// below 0, of the partition that it joins: the chosen worker owns it, or nobody where none can.
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

  /// Returns where the worker finds its next task: the first partition that `has_one` of those that
  /// the worker owns, else of those that nobody owns.
  template <class HasOne>
  std::optional<Index> choose(int worker, HasOne has_one) const {
    for (const int owner : {worker, -1}) {
      for (const auto& [number, part] : parts_) {
        if (part.ready > 0 && part.owner == owner && has_one(number)) return number;
      }
    }
    return std::nullopt;
  }

  /// The worker starts a task of it.
  void take(Index number, int worker) {
    Part& part = parts_.at(number);
    if (number != nobodys) part.owner = worker;
    --part.ready;
  }

  /// The worker will take no more: what it owns is anybody's.
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
  std::map<int, double> seconds_;  ///< dealt out to each worker
};

/// Which group of workers does which tasks of one l-partition: its w-partitions are dealt out
/// evenly (swCholesky, section 3.1). Tasks without a w-partition, and those that its group cannot
/// execute, go to the able group with the least predicted seconds of such tasks so far.
class GroupsOfPartitions {
 public:
  /// Returns one of so many groups, of which these can execute the task; the first where none can.
  int choose(Index w_partition, std::span<const int> able, Index groups, double seconds) {
    const int own = w_partition < 0 ? -1 : w_partition % groups;
    if (std::find(able.begin(), able.end(), own) != able.end()) return own;
    return able.empty() ? 0 : -1 - alone_.arrive_alone(able, seconds);
  }

 private:
  WPartitions alone_;
};

}  // namespace espalier::internal
