// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "base/kernel_queue.hpp"
#include "base/shape.hpp"
#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

/// Predictions for one of Espalier's tasks; negative for tasks of other programs.
struct Lengths {
  double seconds = -1;    ///< seconds of the task on one CPU core
  double path = -1;       ///< seconds from the start of the task to the end of the graph
  double announced = -1;  ///< seconds of work that its submission announces; see Shape
};

/// Returns the predictions for a task. This costs less than facts_of().
Lengths lengths_of(const starpu_task* task);

/// Returns the predicted seconds of a task on that worker, negative if unknown. The prediction
/// comes from the Shape of one of Espalier's tasks, else from the task's performance model.
double seconds_on(int worker, starpu_task* task);

/// Returns the predicted seconds of the copies that a task needs on that memory node. For
/// Espalier's tasks, uses Espalier's costs of devices, and StarPU's numbers for copies between
/// CUDA devices. For other tasks, uses StarPU's numbers for all data.
double copy_seconds(unsigned memory, starpu_task* task);

/// Returns whether copies for the task overlap with kernels of a device, by Espalier's costs of
/// devices; false if unknown.
bool copies_overlap(const starpu_task* task);

/// Returns whether all tasks on devices leave their data there for later tasks. That holds if
/// devices run D, F and U, but not A. False if unknown.
bool data_stay(const starpu_task* task);

/// Returns the first worker of a device, or -1.
int first_device_worker();

/// Returns the facts that a shape contains.
TaskFacts facts_of(const Shape& shape);

/// Returns the facts that are known when a task of any program is submitted. For Espalier's tasks
/// this is the Shape. For others: the coordinates of the first handle written, the size of the
/// largest piece of data, and the flops.
TaskFacts facts_at_submission(starpu_task* task);

/// Returns the facts that are known when a task is pushed. Adds the releaser to
/// facts_at_submission(). For tasks of other programs, also adds the lengths on a CPU core and on a
/// device by the performance model, and StarPU's prediction of the copies to that device.
TaskFacts facts_of(starpu_task* task);

/// Records the queue of a task if the program that made the task asked for it.
void note_queue(const starpu_task* task, KernelQueue queue);

/// Record the time at which a task was submitted, and at which it became ready. Cost: one reading
/// of the clock.
void note_submitted(const starpu_task* task);
void note_ready(const starpu_task* task);

}  // namespace espalier::internal
