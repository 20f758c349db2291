// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/task_facts.hpp"

#include <starpu_scheduler.h>

#include <array>
#include <cmath>
#include <string_view>

#include "base/clock.hpp"

namespace espalier::internal {

namespace {

/// Espalier's codelets are told by the names of their models: a policy may come from a plugin and
/// the codelet from another copy of the library.
const Shape* shape_of(const starpu_task& task) {
  if (task.cl->model == nullptr || task.cl->model->symbol == nullptr) return nullptr;
  const std::string_view symbol = task.cl->model->symbol;
  if (!symbol.starts_with(model_symbol_prefix)) return nullptr;
  const TaskKind kind = kind_named(symbol.substr(std::string_view(model_symbol_prefix).size()));
  const bool ours = static_cast<std::size_t>(kind) < task_kinds;
  return ours ? static_cast<const Shape*>(task.cl_arg) : nullptr;
}

void take(const Shape& shape, TaskFacts& facts) {
  facts.ours = true;
  facts.kind = shape.kind;
  facts.m = shape.m;
  facts.n = shape.n;
  facts.k = shape.k;
  facts.square = shape.square;
  facts.row = shape.row;
  facts.column = shape.column;
  facts.own_row = shape.own_row;
  facts.own_column = shape.own_column;
  facts.level = shape.level;
  facts.l_partition = shape.l_partition;
  facts.w_partition = shape.w_partition;
  facts.device = shape.device;
  facts.device_budget = shape.device_budget;
  facts.seconds = shape.seconds;
  facts.device_seconds = shape.device_seconds;
  facts.device_copy = shape.device_copy;
  facts.path = shape.path;
  facts.flops = shape.flops;
}

starpu_data_handle_t first_written(starpu_task* task) {
  const unsigned buffers = STARPU_TASK_GET_NBUFFERS(task);
  for (unsigned i = 0; i < buffers; ++i) {
    if ((STARPU_TASK_GET_MODE(task, i) & STARPU_W) != 0) return STARPU_TASK_GET_HANDLE(task, i);
  }
  return nullptr;
}

void take_coordinates(starpu_data_handle_t handle, TaskFacts& facts) {
  std::array<int, 2> place{-1, -1};
  const unsigned known = starpu_data_get_coordinates_array(handle, 2, place.data());
  if (known >= 1) facts.row = place[0];
  if (known >= 2) facts.column = place[1];
}

void take_expected_length(starpu_task* task, TaskFacts& facts) {
  if (task->cl->model == nullptr) return;
  const int worker = starpu_worker_get_by_type(STARPU_CPU_WORKER, 0);
  if (worker < 0) return;
  starpu_perfmodel_arch* const arch = starpu_worker_get_perf_archtype(worker, task->sched_ctx);
  const double microseconds = starpu_task_expected_length(task, arch, 0);
  if (std::isfinite(microseconds) && microseconds > 0) facts.seconds = microseconds * 1e-6;
}

}  // namespace

Lengths lengths_of(const starpu_task* task) {
  const Shape* const shape = shape_of(*task);
  return shape != nullptr ? Lengths{shape->seconds, shape->path} : Lengths{};
}

TaskFacts facts_of(const Shape& shape) {
  TaskFacts facts;
  take(shape, facts);
  return facts;
}

TaskFacts facts_at_submission(starpu_task* task) {
  TaskFacts facts;
  facts.priority = task->priority;
  facts.flops = task->flops;
  facts.parallel = task->cl->max_parallelism > 1;
  const starpu_data_handle_t written = first_written(task);
  facts.written = written;
  if (const auto named = STARPU_TASK_GET_NBUFFERS(task); named > 0) {
    facts.right = STARPU_TASK_GET_HANDLE(task, named - 1);
  }
  if (const Shape* const shape = shape_of(*task)) {
    take(*shape, facts);
  } else if (written != nullptr) {
    take_coordinates(written, facts);
  }
  return facts;
}

TaskFacts facts_of(starpu_task* task) {
  TaskFacts facts = facts_at_submission(task);
  facts.releaser = starpu_worker_get_id();
  if (!facts.ours) take_expected_length(task, facts);
  return facts;
}

namespace {

/// Returns where to enter it; null where nobody wants to know.
QueueRecord* record_of(const starpu_task* task) {
  const Shape* const shape = shape_of(*task);
  return shape != nullptr ? shape->queued : nullptr;
}

}  // namespace

void note_queue(const starpu_task* task, KernelQueue queue) {
  if (QueueRecord* const record = record_of(task)) record->queue = queue;
}

void note_submitted(const starpu_task* task) {
  if (QueueRecord* const record = record_of(task)) record->submitted = steady_seconds();
}

void note_ready(const starpu_task* task) {
  if (QueueRecord* const record = record_of(task)) record->ready = steady_seconds();
}

}  // namespace espalier::internal
