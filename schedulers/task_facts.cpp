// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/task_facts.hpp"

#include <starpu_scheduler.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/clock.hpp"
#include "base/cost_table.hpp"
#include "base/scalar.hpp"
#include "perfmodels/shape.hpp"
#include "schedulers/task_data.hpp"

namespace espalier::internal {

namespace {

/// Returns the Shape of a task, null if it is a task of another program. Espalier's codelets are
/// recognized by the names of their models, because policy and codelet may come from different
/// copies of the library. Tasks of another version of Espalier count as tasks of other programs.
const Shape* shape_of(const starpu_task& task) {
  if (task.cl->model == nullptr || task.cl->model->symbol == nullptr) return nullptr;
  const std::string_view symbol = task.cl->model->symbol;
  if (!symbol.starts_with(model_symbol_prefix())) return nullptr;
  const TaskKind kind = kind_named(symbol.substr(model_symbol_prefix().size()));
  const bool ours = static_cast<std::size_t>(kind) < task_kinds;
  return ours ? static_cast<const Shape*>(task.cl_arg) : nullptr;
}

/// Returns the costs of devices, measured or estimated; null for tasks of other programs and for
/// tasks that no device runs.
const DeviceTable* device_costs_of(const starpu_task& task) {
  const Shape* const shape = shape_of(task);
  return shape != nullptr ? shape->device_costs : nullptr;
}

void take(const Shape& shape, TaskFacts& facts) {
  static_cast<Shape&>(facts) = shape;
  facts.ours = true;
  if (shape.device_costs != nullptr) {
    facts.device_copy =
        shape.device_costs->to.seconds(static_cast<double>(scalar.bytes) * largest_operand(facts));
    facts.device_measured = shape.device_costs->measured();
  }
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

/// Returns the seconds of a copy from one CUDA device to another, as StarPU measured it for this
/// pair. Infinity if the first device has no copy of the data.
double peer_seconds(starpu_data_handle_t data, unsigned from, unsigned to) {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (from == to || starpu_node_get_kind(from) != STARPU_CUDA_RAM || !is_valid(data, from)) {
    return none;
  }
  const double microseconds = starpu_transfer_predict(from, to, starpu_data_get_size(data));
  return microseconds > 0 ? microseconds * 1e-6 : none;
}

/// Returns the seconds until a device has a copy, from the host or straight from another device.
double seconds_to_device(starpu_data_handle_t data, unsigned memory, const DeviceTable& costs) {
  const auto bytes = static_cast<double>(starpu_data_get_size(data));
  double seconds = costs.to.seconds(bytes);
  if (!is_valid(data, STARPU_MAIN_RAM)) seconds += costs.back.seconds(bytes);
  if (starpu_node_get_kind(memory) != STARPU_CUDA_RAM) return seconds;
  for (unsigned from = 0; from < starpu_memory_nodes_get_count(); ++from) {
    seconds = std::min(seconds, peer_seconds(data, from, memory));
  }
  return seconds;
}

/// Returns the seconds of copies by Espalier's costs of devices, because StarPU's own measurement
/// of the bus to a coprocessor may report that a copy takes no time.
double measured_copy_seconds(unsigned memory, starpu_task* task, const DeviceTable& costs) {
  double seconds = 0;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    const starpu_data_handle_t data = STARPU_TASK_GET_HANDLE(task, i);
    if ((STARPU_TASK_GET_MODE(task, i) & STARPU_R) == 0 || is_valid(data, memory)) continue;
    seconds += memory == STARPU_MAIN_RAM
                   ? costs.back.seconds(static_cast<double>(starpu_data_get_size(data)))
                   : seconds_to_device(data, memory, costs);
  }
  return seconds;
}

/// Returns the size of a task's largest piece of data, in scalars.
double largest_entries(starpu_task* task) {
  std::size_t largest = 0;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    largest = std::max(largest, starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i)));
  }
  return static_cast<double>(largest) / static_cast<double>(scalar.bytes);
}

void take_expected_lengths(starpu_task* task, TaskFacts& facts) {
  if (const int worker = starpu_worker_get_by_type(STARPU_CPU_WORKER, 0); worker >= 0) {
    facts.seconds = seconds_on(worker, task);
  }
  const int device = first_device_worker();
  if (device < 0) return;
  facts.device_seconds = std::max(0.0, seconds_on(device, task));
  facts.device_measured = facts.seconds > 0 && facts.device_seconds > 0;
  facts.device_copy =
      copy_seconds(starpu_worker_get_memory_node(static_cast<unsigned>(device)), task);
}

}  // namespace

double seconds_on(int worker, starpu_task* task) {
  if (const Shape* const shape = shape_of(*task)) {
    return shape->seconds_on(starpu_worker_get_type(worker) != STARPU_CPU_WORKER);
  }
  if (task->cl->model == nullptr) return -1;
  starpu_perfmodel_arch* const arch = starpu_worker_get_perf_archtype(worker, task->sched_ctx);
  const double microseconds = starpu_task_expected_length(task, arch, 0);
  return std::isfinite(microseconds) && microseconds > 0 ? microseconds * 1e-6 : -1;
}

double copy_seconds(unsigned memory, starpu_task* task) {
  if (const DeviceTable* const costs = device_costs_of(*task)) {
    return measured_copy_seconds(memory, task, *costs);
  }
  const double microseconds = starpu_task_expected_data_transfer_time(memory, task);
  return std::isfinite(microseconds) && microseconds > 0 ? microseconds * 1e-6 : 0;
}

bool copies_overlap(const starpu_task* task) {
  const DeviceTable* const costs = device_costs_of(*task);
  return costs != nullptr && costs->overlaps;
}

bool data_stay(const starpu_task* task) {
  const DeviceTable* const costs = device_costs_of(*task);
  return costs != nullptr && !costs->assembles;
}

int first_device_worker() {
  for (const auto type : {STARPU_CUDA_WORKER, STARPU_TCPIP_MS_WORKER}) {
    if (const int worker = starpu_worker_get_by_type(type, 0); worker >= 0) return worker;
  }
  return -1;
}

Lengths lengths_of(const starpu_task* task) {
  const Shape* const shape = shape_of(*task);
  return shape != nullptr ? Lengths{shape->seconds, shape->path, shape->announced} : Lengths{};
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
  } else {
    facts.entries = largest_entries(task);
    if (written != nullptr) take_coordinates(written, facts);
  }
  return facts;
}

TaskFacts facts_of(starpu_task* task) {
  TaskFacts facts = facts_at_submission(task);
  facts.releaser = starpu_worker_get_id();
  if (!facts.ours) take_expected_lengths(task, facts);
  return facts;
}

namespace {

/// Returns the record of a task, or null if none was requested.
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
