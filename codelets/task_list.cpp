// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task_list.hpp"

#include <algorithm>
#include <cstddef>

namespace espalier::internal {

WrittenData written_of(std::span<const Access> accesses) {
  const auto reads = [](const Access& access) { return access.mode == AccessMode::read; };
  const auto begin = std::ranges::find_if_not(accesses, reads);
  const auto end = std::find_if(begin, accesses.end(), reads);
  return {static_cast<Index>(begin - accesses.begin()), static_cast<Index>(end - accesses.begin())};
}

void BoundTask::enter(const TaskRecord& run, Workspace::Tally& tally) const {
  record = run;
  ++tally.count;
  tally.flops += shape.flops;
  tally.predicted_seconds += shape.seconds_on(run.on_device);
  tally.operations += type->operations(*arguments, shape);
}

void BoundTask::perform(TaskData data, Worker& worker) const {
  FactorContext& context = *arguments->context;
  if (reads_mark_of_failure(data, written)) context.failure.report_elsewhere();
  if (context.has_failed()) {
    const TaskData unfinished = written.of(data);
    if (worker.slice.size == 1) {
      std::ranges::for_each(unfinished, mark_as_failed);
    } else if (worker.slice.rank == 0) {
      // Other workers may use the first rows of the other pieces.
      mark_as_failed(unfinished.front());
    }
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
