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

Count bytes_of_result(const Shape& shape) {
  return (1 + returned_entries(shape.kind, shape.n)) * static_cast<Count>(sizeof(double));
}

}  // namespace

TaskPayloads::TaskPayloads(const TaskList& list, bool with_assembles) {
  std::vector<MessageWriter> messages(list.task.size());
  Workspace workspace;
  begin_.reserve(list.task.size() + 1);
  for (std::size_t i = 0; i < list.task.size(); ++i) {
    const BoundTask& task = list.task[i];
    Count bytes = 0;
    if ((with_assembles || task.shape.kind != TaskKind::assemble) &&
        task.type->is_for_accelerators(*task.arguments, task.shape) &&
        task.access_end - task.access_begin <= most_data_of_payload &&
        bytes_of_result(task.shape) <= largest_payload) {
      task.type->write(*task.arguments, messages[i], workspace);
      bytes = static_cast<Count>(bytes_of(messages[i]));
    }
    begin_.push_back(begin_.back() + (bytes <= largest_payload ? bytes : 0));
  }
  memory_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(begin_.back()));
  for (std::size_t i = 0; i < list.task.size(); ++i) {
    const BoundTask& task = list.task[i];
    if (begin_[i] == begin_[i + 1]) continue;
    const auto words = messages[i].words();
    std::byte* const place = memory_.get() + begin_[i];
    new (place) TaskPayload{task.shape, &task, task.written,
                            static_cast<Index>(task.access_end - task.access_begin),
                            static_cast<Index>(words.size())};
    std::ranges::copy(std::as_bytes(words), place + sizeof(TaskPayload));
  }
}

void take_result(const BoundTask& task, Index worker, AcceleratorResult result) {
  FactorContext& context = *task.arguments->context;
  if (is_failure_mark(result.front())) context.failure.report_elsewhere();
  if (context.failure.happened()) return;  // what the task worked on may have no content
  const double seconds = result.front();
  const double end = context.clock.seconds();
  auto& tally = context.workspace[worker].tally[static_cast<std::size_t>(task.shape.kind)];
  task.enter({worker, end - seconds, end, 1, true}, tally);
  tally.seconds += seconds;
  task.type->take_result(*task.arguments, result.subspan(1));
}

}  // namespace espalier::internal
