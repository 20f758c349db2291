// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Load of the workers of one memory node: all CPUs, or one device. Times are predicted for this
/// node, in seconds.
struct NodeLoad {
  Index workers = 0;
  Index busy = 0;      ///< workers that run a task now
  double begun = 0;    ///< full length of the tasks that run now
  double waiting = 0;  ///< length of the tasks that are queued for this node
  double sooner = 0;   ///< part of `waiting` that runs before an urgent task
};

/// Factor for the predicted time of copies. It accounts for later costs of a copy: results come
/// back, later tasks have their data elsewhere, and a worker waits at either end. Coprocessors
/// share all tasks except subtrees with the CPUs, so data move back and forth (factor 3). Devices
/// that run only D, F, and U keep their data (factor 1).
constexpr double counted_to_and_fro = 3;
constexpr double counted_to_stay = 1;

/// Cost of a task on one memory node.
struct NodeCost {
  double seconds = -1;  ///< predicted on this node; negative: the task cannot run here
  double copies = 0;    ///< seconds for copies of inputs that only other nodes have
  double counted = counted_to_and_fro;  ///< factor for `copies`

  bool is_possible() const { return seconds >= 0; }
  double all() const { return seconds + counted * copies; }
};

/// Returns the seconds until a memory node would have ended a task. They include the waiting tasks,
/// the copies and the task. If all workers of the node are busy, they also include the running
/// tasks, which are half done on average. An `urgent` task goes before some of the waiting tasks.
inline double seconds_to_end(const NodeLoad& side, const NodeCost& task, bool urgent) {
  const double ahead =
      (side.busy < side.workers ? 0 : side.begun / 2) + (urgent ? side.sooner : side.waiting);
  return ahead / static_cast<double>(side.workers) + task.all();
}

/// Returns the memory node that is predicted to end a task first, the first one if several are
/// equal, or -1 if the task can run on none. `task` has a cost for each node. This is the rule of
/// HEFT (Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task scheduling for
/// heterogeneous computing", 2002).
inline Index first_to_end(std::span<const NodeLoad> sides, std::span<const NodeCost> task,
                          bool urgent) {
  Index first = -1;
  double least = 0;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    if (!task[s].is_possible() || sides[s].workers == 0) continue;
    const double end = seconds_to_end(sides[s], task[s], urgent);
    if (first >= 0 && end >= least) continue;
    first = static_cast<Index>(s);
    least = end;
  }
  return first;
}

/// Returns whether an idle worker takes over a task that is queued for another memory node. The
/// worker must be predicted to end the task before the other node would have ended this task and
/// all other tasks of its queue. If the task is `urgent`, only the tasks that the other node would
/// run before this one count.
inline bool takes_over(const NodeCost& here, NodeLoad other, const NodeCost& there, bool urgent) {
  if (!here.is_possible()) return false;
  if (!there.is_possible() || other.workers == 0) return true;
  other.waiting = std::max(0.0, other.waiting - there.seconds);
  return here.all() < seconds_to_end(other, there, urgent);
}

/// Returns whether an idle worker takes over a task that is not urgent for it. It does if this
/// saves the other memory node more time than the copies take. Later tasks may have to wait until
/// the results are copied back. Without this rule the worker would be idle.
inline bool spares(const NodeCost& here, const NodeCost& there) {
  return here.is_possible() && there.seconds > here.copies;
}

}  // namespace espalier::internal
