// SPDX-License-Identifier: BSD-3-Clause
#include <starpu.h>

#include "codelets/task_list.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

/// Simulates the tasks without computing anything: sleeps for the times that they are predicted to
/// take if no other worker is busy.
void run_sequentially(const TaskList& list, Worker& worker) {
  const double longer = simulated_machine().time_at(1);
  for (const BoundTask& task : list.task) {
    const Stopwatch& clock = task.arguments->context->clock;
    const double begin = clock.seconds();
    starpu_sleep(static_cast<float>(task.shape.seconds * longer));
    task.note_run(worker, begin, clock.seconds());
  }
}

}  // namespace espalier::internal
