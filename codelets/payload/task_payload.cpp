// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/payload/task_payload.hpp"

#include <algorithm>
#include <new>

namespace espalier::internal {

namespace {

std::size_t bytes_of(const MessageWriter& message) {
  const std::size_t bytes = sizeof(TaskPayload) + message.words().size_bytes();
  return (bytes + alignof(TaskPayload) - 1) / alignof(TaskPayload) * alignof(TaskPayload);
}

void put(const BoundTask& task, const MessageWriter& message, std::byte* place) {
  const auto words = message.words();
  new (place) TaskPayload{task.shape,
                          &task,
                          task.written,
                          static_cast<Index>(task.access_end - task.access_begin),
                          task.type->results(*task.arguments, task.shape),
                          static_cast<Index>(words.size())};
  std::ranges::copy(std::as_bytes(words), place + sizeof(TaskPayload));
}

Count bytes_of_result(const BoundTask& task) {
  return (1 + task.type->results(*task.arguments, task.shape)) * static_cast<Count>(sizeof(double));
}

}  // namespace

TaskPayloads::TaskPayloads(const TaskList& list, bool with_assembles) : place_(list.task.size()) {
  std::vector<MessageWriter> messages(list.task.size());
  Workspace workspace;
  for (std::size_t i = 0; i < list.task.size(); ++i) {
    const BoundTask& task = list.task[i];
    if ((with_assembles || task.shape.kind != TaskKind::assemble) &&
        task.type->is_for_accelerators(*task.arguments, task.shape) &&
        task.access_end - task.access_begin <= most_data_of_payload &&
        bytes_of_result(task) <= largest_payload) {
      task.type->write(*task.arguments, messages[i], workspace);
      const auto bytes = static_cast<Count>(bytes_of(messages[i]));
      if (bytes <= largest_payload) place_[i].bytes = bytes;
    }
  }
  Count end = 0;
  const auto place_those = [&](bool with_lists) {
    for (std::size_t i = 0; i < list.task.size(); ++i) {
      if (messages[i].has_lists() == with_lists) {
        place_[i].begin = end;
        end += place_[i].bytes;
      }
    }
  };
  place_those(true);
  bytes_with_lists_ = end;
  place_those(false);
  bytes_ = end;
  memory_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(end));
  for (std::size_t i = 0; i < list.task.size(); ++i) {
    if (place_[i].bytes > 0) put(list.task[i], messages[i], memory_.get() + place_[i].begin);
  }
}

void take_result(const BoundTask& task, Index worker, AcceleratorResult result) {
  FactorContext& context = *task.arguments->context;
  if (is_failure_mark(result.front())) context.failure.report_elsewhere();
  if (context.failure.happened()) return;  // the data of the task may have no valid content
  const double end = context.clock.seconds();
  Workspace& workspace = context.workspace[worker];
  const double seconds = result.front() == not_timed
                             ? end - std::max(task.record.begin, workspace.free_since)
                             : result.front();
  workspace.free_since = end;
  auto& tally = workspace.tally[static_cast<std::size_t>(task.shape.kind)];
  task.enter({worker, end - seconds, end, 1, true}, tally);
  tally.seconds += seconds;
  task.type->take_result(*task.arguments, result.subspan(1));
}

}  // namespace espalier::internal
