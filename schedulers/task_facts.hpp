// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "base/kernel_queue.hpp"
#include "base/shape.hpp"
#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

/// What Espalier's predictions say of one of its tasks, negative of others.
struct Lengths {
  double seconds = -1;  ///< what it takes on one CPU core
  double path = -1;     ///< seconds from its start to the end of the graph
};

/// Returns these two alone, which cost less to find than all facts.
Lengths lengths_of(const starpu_task* task);

/// Returns the seconds that a task is predicted to take on that worker: by its Shape where Espalier
/// made it, else what its performance model expects. Negative where unknown.
double seconds_on(int worker, starpu_task* task);

/// Returns the seconds for the copies of what a task reads and that memory does not have: of our
/// tasks by what devices were measured to cost, straight from one CUDA device to another, and of
/// all data of others, as StarPU expects of its buses.
double copy_seconds(unsigned memory, starpu_task* task);

/// Returns whether copies of what the task reads were measured to run beside the kernels of a
/// device; false where unknown.
bool copies_overlap(const starpu_task* task);

/// Returns whether devices have only tasks that leave data there for later ones: D, F and U, but
/// not A; false where unknown.
bool data_stay(const starpu_task* task);

/// Returns a worker of a device, -1 where there is none.
int first_device_worker();

/// Returns what a shape says.
TaskFacts facts_of(const Shape& shape);

/// Returns what is known of a task of any program while it is submitted: its Shape where Espalier
/// made it, else the coordinates of the first handle that it writes, its largest piece of data, and
/// its flops.
TaskFacts facts_at_submission(starpu_task* task);

/// Returns the same while the task is pushed, with who released it and, of foreign tasks, the
/// lengths that the performance model expects on a CPU core and on a device, and StarPU's of the
/// copies of their data to that one.
TaskFacts facts_of(starpu_task* task);

/// Enters the queue that a task is in, where whoever made the task wants to know.
void note_queue(const starpu_task* task, KernelQueue queue);

/// Enters likewise that the task waits from now on, and that it is ready. Cost: a look at the
/// clock.
void note_submitted(const starpu_task* task);
void note_ready(const starpu_task* task);

}  // namespace espalier::internal
