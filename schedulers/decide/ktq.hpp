// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/kernel_queue.hpp"
#include "base/parallel_task.hpp"
#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

struct KernelQueueLimits {
  double instant = 0;  ///< tasks shorter than this many seconds are instant
  /// All workers together run a task of at least this many seconds.
  double data_parallel = std::numeric_limits<double>::infinity();
};

/// Estimated time to hand a task over through a shared queue, in seconds: a push, a pop by another
/// core, and the transfer of the task's data to that core's cache. It stands for a contended lock
/// and some tens of cache lines.
inline constexpr double handover_seconds = 2e-6;

/// Returns the limits for the predicted times of tasks.
///
/// A task below the first limit costs less than its handover. From the second limit on, it is
/// better to divide the task among all workers. A greedy schedule of indivisible tasks exceeds the
/// lower bound of p workers by at most (1 - 1/p) t, where t is the longest task (Graham, "Bounds on
/// multiprocessing timing anomalies", 1969). Dividing a task saves that time, but costs
/// parallel_task_seconds(). The saving must be at least twice that cost. It must also be at least a
/// tenth of the time that all workers need for the remaining work.
inline KernelQueueLimits derived_limits(Index workers, double remaining) {
  if (workers < 2) return {handover_seconds};
  const double spared_share = 1 - 1.0 / workers;
  const double worth = std::max(2 * parallel_task_seconds(workers), 0.1 * remaining / workers);
  return {handover_seconds, worth / spared_share};
}

/// Returns the seconds of a task on one CPU core, negative if unknown. If only the number of
/// operations is known, assumes the speed of untuned code.
inline double predicted_seconds(const TaskFacts& task) {
  constexpr double plain_rate = 2e9;
  if (task.seconds >= 0) return task.seconds;
  return task.flops > 0 ? task.flops / plain_rate : -1;
}

/// Returns the seconds of a task that are known when it is submitted, else 0. The models of tasks
/// of other programs are evaluated later.
inline double seconds_at_submission(TaskFacts task) {
  if (!task.ours) task.seconds = -1;
  return std::max(0.0, predicted_seconds(task));
}

/// Returns the queue of a task by its predicted time. Tasks of unknown length, and long tasks that
/// are not `divisible`, go to the task-parallel queue.
inline KernelQueue queue_of(double seconds, bool divisible, const KernelQueueLimits& limits) {
  if (seconds < 0) return KernelQueue::task_parallel;
  if (seconds < limits.instant) return KernelQueue::instant;
  return divisible && seconds >= limits.data_parallel ? KernelQueue::data_parallel
                                                      : KernelQueue::task_parallel;
}

/// Maximum side of the square matrices of a small and of a medium kernel (swCholesky, figure 9).
struct KernelQueueSizes {
  double instant = 8;
  double task_parallel = 128;
};

/// Returns the side of a square matrix with as many entries as the task's largest operand, negative
/// if unknown. For a task of another program: the side of two square matrices whose product takes
/// as many operations.
inline double operand_size(const TaskFacts& task) {
  if (task.ours) return std::sqrt(largest_operand(task));
  return task.flops > 0 ? std::cbrt(task.flops / 2) : -1;
}

/// Returns the queue of a task by its size (swCholesky, sections 3.2 and 3.3).
/// - SYRK and GEMM, alone or summed, go to the queue of their size.
/// - TRSM is run by one worker or by all workers, because no other kernels run beside it
///   (algorithm 2).
/// - POTRF of one panel is run immediately, by one worker ("MPE version only").
/// - A subtree, which the paper does not have, consists of many small kernels and goes to the
///   task-parallel queue.
inline KernelQueue queue_of(const TaskFacts& task, bool divisible, const KernelQueueSizes& limits) {
  if (task.ours && task.kind == TaskKind::diagonal) return KernelQueue::instant;
  if (task.ours && task.kind == TaskKind::subtree) return KernelQueue::task_parallel;
  const double side = operand_size(task);
  if (side < 0) return KernelQueue::task_parallel;
  if (side <= limits.instant) return KernelQueue::instant;
  const bool waits = !task.ours || task.kind != TaskKind::factor;
  if (waits && side <= limits.task_parallel) return KernelQueue::task_parallel;
  return divisible ? KernelQueue::data_parallel : KernelQueue::task_parallel;
}

/// The user's settings of the queues.
struct KernelQueueRules {
  enum class InUse { all, instant_and_data_parallel, data_parallel };

  InUse in_use = InUse::all;
  bool by_size = false;
  double instant_seconds = -1;        ///< negative: derived
  double data_parallel_seconds = -1;  ///< negative: derived
  KernelQueueSizes sizes{};

  /// Returns the queue of a task. `remaining` is the work left, in seconds on one core.
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
  /// Returns the next larger queue that the task can use if its own queue is not in use.
  KernelQueue limited(KernelQueue queue, bool divisible) const {
    if (in_use == InUse::all) return queue;
    if (queue == KernelQueue::instant && in_use != InUse::data_parallel) return queue;
    return divisible ? KernelQueue::data_parallel : KernelQueue::task_parallel;
  }
};

/// Returns whether a device should take a task that CPU workers of its group could run, too. It
/// should if the device is predicted to end the task before the CPUs would have ended all other
/// remaining work and then this task. The time on the device includes the copy of the largest
/// operand. Returns true if the time on the device or on a CPU core is unknown.
inline bool device_helps(const TaskFacts& task, double remaining, Index cpu_workers) {
  if (task.device_seconds <= 0 || task.seconds < 0) return true;
  const double others = std::max(0.0, remaining - seconds_at_submission(task));
  return task.device_seconds + task.device_copy <
         task.seconds + others / static_cast<double>(std::max<Index>(cpu_workers, 1));
}

/// The tasks that a worker takes from the shared queue at once.
class Batch {
 public:
  /// Limits the batch to `most` tasks. If `most` is 0, limits it by time, so that the handovers
  /// cost at most a twentieth of it. A batch never exceeds one worker's share of the waiting tasks.
  Batch(Count most, Count waiting, Index workers)
      : most_(most), fair_((waiting + workers - 1) / workers) {}

  void add(const TaskFacts& task) {
    ++tasks_;
    seconds_ += std::max(predicted_seconds(task), 0.0);
    last_ = task;
  }
  /// Returns whether the task may join the batch. Updates of one panel by the same other panel
  /// (SYRK or GEMM) go together, because they read the same rows. (An update that is not cut into
  /// tiles is a SYRK and a GEMM in one.)
  bool has_space_for(const TaskFacts& task) const {
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
