// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task_list.hpp"

namespace espalier::internal {

void BoundTask::enter(const TaskRecord& run, Workspace::Tally& tally) const {
  record = run;
  ++tally.count;
  tally.flops += shape.flops;
  tally.predicted_seconds += shape.seconds;
}

void BoundTask::perform(TaskData data, Worker& worker) const {
  const FactorContext& context = *arguments->context;
  if (context.failure.happened()) return;
  const double begin = context.clock.seconds();
  type->run(*arguments, data, worker);
  const double end = context.clock.seconds();
  auto& tally = worker.workspace.tally[static_cast<std::size_t>(shape.kind)];
  tally.seconds += end - begin;
  if (worker.slice.rank > 0) return;
  enter({worker.workspace.worker, begin, end, worker.slice.size}, tally);
}

void run_sequentially(const TaskList& list, Worker& worker) {
  std::vector<MatrixView>& data = worker.workspace.data;
  for (const BoundTask& task : list.task) {
    data.clear();
    for (const Access& access : list.accesses(task)) data.push_back(list.data[access.data]);
    task.perform(data, worker);
  }
}

}  // namespace espalier::internal
