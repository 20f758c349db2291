// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/kernel_queue.hpp"
#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

struct KernelQueueLimits {
  double instant = 0;  ///< tasks of fewer seconds are instant
  /// All workers together run a task of so many seconds or more.
  double data_parallel = std::numeric_limits<double>::infinity();
};

/// Seconds to hand a task over a shared queue: a push, a pop by another core, and the way of the
/// task's data to its cache. An estimate: a contended lock and some tens of cache lines.
inline constexpr double handover_seconds = 2e-6;

/// Seconds that each worker loses to the two barriers around a task that all run together: measured
/// with two workers, 18 000 tasks of some microseconds each in 1.2 seconds.
inline constexpr double barrier_seconds = 60e-6;

/// Below the first a task costs less than its handover. From the second on all workers together do
/// better: greedy schedules of indivisible tasks end at most (1 - 1/p) t after what p workers need
/// at least, where t is the longest task (Graham, "Bounds on multiprocessing timing anomalies",
/// 1969). Cutting a task spares that, for the price of the barriers; it has to be worth a tenth of
/// the time that the remaining seconds of work take all workers.
inline KernelQueueLimits derived_limits(Index workers, double remaining) {
  if (workers < 2) return {handover_seconds};
  const double spared_share = 1 - 1.0 / workers;
  const double worth = std::max(2 * barrier_seconds, 0.1 * remaining / workers);
  return {handover_seconds, worth / spared_share};
}

/// Returns the seconds of a task on one CPU core, negative where unknown. Where only the operations
/// are known they are counted at the rate of code that is not tuned.
inline double predicted_seconds(const TaskFacts& task) {
  constexpr double plain_rate = 2e9;
  if (task.seconds >= 0) return task.seconds;
  return task.flops > 0 ? task.flops / plain_rate : -1;
}

/// Returns the seconds that are known of a task from its submission on, 0 where none are: of
/// foreign tasks, models are asked later.
inline double seconds_at_submission(TaskFacts task) {
  if (!task.ours) task.seconds = -1;
  return std::max(0.0, predicted_seconds(task));
}

/// Tasks of unknown length and those that are not `divisible` run beside others.
inline KernelQueue queue_of(double seconds, bool divisible, const KernelQueueLimits& limits) {
  if (seconds < 0) return KernelQueue::task_parallel;
  if (seconds < limits.instant) return KernelQueue::instant;
  return divisible && seconds >= limits.data_parallel ? KernelQueue::data_parallel
                                                      : KernelQueue::task_parallel;
}

/// The sides of square matrices up to which a kernel is small, and up to which it is medium
/// (swCholesky, figure 9).
struct KernelQueueSizes {
  double instant = 8;
  double task_parallel = 128;
};

/// Returns the side of a square matrix with as many entries as the task's largest operand, negative
/// where unknown; of a foreign task, of matrices whose product takes as many operations.
inline double operand_side(const TaskFacts& task) {
  if (task.ours) return std::sqrt(largest_operand(task));
  return task.flops > 0 ? std::cbrt(task.flops / 2) : -1;
}

/// The rule of swCholesky (sections 3.2 and 3.3): SYRK and GEMM, alone or as the sum of many, go by
/// size. TRSM is run by one or by all, for it never waits beside others (algorithm 2), POTRF of one
/// panel by one ("MPE version only"), as soon as it is ready. A subtree, which that paper does not
/// have, is many small kernels, and runs beside others.
inline KernelQueue queue_of(const TaskFacts& task, bool divisible, const KernelQueueSizes& limits) {
  if (task.ours && task.kind == TaskKind::diagonal) return KernelQueue::instant;
  if (task.ours && task.kind == TaskKind::subtree) return KernelQueue::task_parallel;
  const double side = operand_side(task);
  if (side < 0) return KernelQueue::task_parallel;
  if (side <= limits.instant) return KernelQueue::instant;
  const bool waits = !task.ours || task.kind != TaskKind::factor;
  if (waits && side <= limits.task_parallel) return KernelQueue::task_parallel;
  return divisible ? KernelQueue::data_parallel : KernelQueue::task_parallel;
}

/// What the user says of the queues.
struct KernelQueueRules {
  enum class InUse { all, instant_and_data_parallel, data_parallel };

  InUse in_use = InUse::all;
  bool by_size = false;
  double instant_seconds = -1;        ///< negative: derived
  double data_parallel_seconds = -1;  ///< negative: derived
  KernelQueueSizes sizes{};

  /// Returns the queue of a task for so many workers, which so many seconds of work wait for.
  KernelQueue choose(const TaskFacts& task, bool divisible, Index workers, double remaining) const {
    if (by_size) return limited(queue_of(task, divisible, sizes), divisible);
    KernelQueueLimits limits = derived_limits(workers, remaining);
    if (seconds_at_submission(task) == 0) limits.data_parallel = KernelQueueLimits{}.data_parallel;
    if (instant_seconds >= 0) limits.instant = instant_seconds;
    if (data_parallel_seconds >= 0) limits.data_parallel = data_parallel_seconds;
    if (in_use == InUse::data_parallel) limits.instant = 0;
    if (in_use != InUse::all) limits.data_parallel = limits.instant;
    return queue_of(predicted_seconds(task), divisible, limits);
  }

 private:
  /// Without a queue its tasks go to the next larger one, if they can.
  KernelQueue limited(KernelQueue queue, bool divisible) const {
    if (in_use == InUse::all) return queue;
    if (queue == KernelQueue::instant && in_use != InUse::data_parallel) return queue;
    return divisible ? KernelQueue::data_parallel : KernelQueue::task_parallel;
  }
};

/// Returns whether a device is to take a task that the CPU workers of its group could run, too:
/// where it is predicted to end it, its largest operand on the way, before they have ended that
/// task after all other work that is left. What it takes there may be unknown.
inline bool device_helps(const TaskFacts& task, double remaining, Index cpu_workers) {
  if (task.device_seconds <= 0 || task.seconds < 0) return true;
  const double others = std::max(0.0, remaining - seconds_at_submission(task));
  return task.device_seconds + task.device_copy <
         task.seconds + others / static_cast<double>(std::max<Index>(cpu_workers, 1));
}

/// Tasks that a worker takes from the shared queue at a time.
class Batch {
 public:
  /// Holds at most `most` tasks, where that is not 0; else so many that the handovers cost a
  /// twentieth of the time. A worker leaves to the others their share of what waits.
  Batch(Count most, Count waiting, Index workers)
      : most_(most), fair_((waiting + workers - 1) / workers) {}

  void add(const TaskFacts& task) {
    ++tasks_;
    seconds_ += std::max(predicted_seconds(task), 0.0);
    last_ = task;
  }
  /// Updates of one panel by another one, SYRK or GEMM, read the same rows and go together. (An
  /// update that is not cut into tiles is SYRK and GEMM in one.)
  bool has_room_for(const TaskFacts& task) const {
    if (tasks_ >= fair_) return false;
    if (is_fused_with(task)) return true;
    return most_ > 0 ? tasks_ < most_ : seconds_ < 20 * handover_seconds;
  }

 private:
  bool is_fused_with(const TaskFacts& task) const {
    return task.ours && last_.ours && task.kind == TaskKind::update &&
           last_.kind == TaskKind::update && task.column == last_.column &&
           task.right == last_.right;
  }

  Count most_;
  Count fair_;
  Count tasks_ = 0;
  double seconds_ = 0;
  TaskFacts last_{};
};

}  // namespace espalier::internal
