// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task_list.hpp"

#include <algorithm>
#include <cstddef>

namespace espalier::internal {

void BoundTask::enter(const TaskRecord& run, Workspace::Tally& tally) const {
  record = run;
  ++tally.count;
  tally.flops += shape.flops;
  tally.predicted_seconds += shape.seconds_on(run.on_device);
  tally.operations += type->operations(*arguments, shape);
}

void BoundTask::perform(TaskData data, Worker& worker) const {
  FactorContext& context = *arguments->context;
  const TaskData written = data.first(std::min<std::size_t>(data.size(), 1));
  const TaskData read = data.subspan(written.size());
  if (std::ranges::any_of(read, is_marked_as_failed)) context.failure.report_elsewhere();
  if (context.has_failed()) {
    if (worker.slice.rank == 0) std::ranges::for_each(written, mark_as_failed);
    return;
  }
  const double begin = context.clock.seconds();
  type->run(*arguments, data, worker);
  note_run(worker, begin, context.clock.seconds());
}

void BoundTask::note_run(Worker& worker, double begin, double end) const {
  auto& tally = worker.workspace.tally[static_cast<std::size_t>(shape.kind)];
  tally.seconds += end - begin;
  if (worker.slice.rank > 0) return;
  enter({worker.workspace.worker, begin, end, worker.slice.size}, tally);
}

}  // namespace espalier::internal
