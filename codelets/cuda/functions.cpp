// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/functions.hpp"

#include <starpu.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "codelets/codelet.hpp"
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/tasks.hpp"
#include "espalier/error.hpp"

namespace espalier::cuda {

namespace {

using Run = void (*)(std::span<const Index> message, TaskData data, Desk& desk);

/// Of all CUDA workers, by their numbers.
struct OpenDesks {
  std::mutex counting;  ///< held while workers open and close theirs
  Index users = 0;
  std::array<std::unique_ptr<Desk>, STARPU_NMAXWORKERS> of_worker;
  std::mutex failing;
  std::string failure;  ///< the first one, of a desk that was to be opened or of a task
};

OpenDesks& all_desks() {
  static OpenDesks desks;
  return desks;
}

void note_failure(const Error& error) {
  OpenDesks& desks = all_desks();
  const std::lock_guard lock(desks.failing);
  if (desks.failure.empty()) desks.failure = error.what();
}

/// What StarPU calls cannot throw: after a device has failed in a task the others return at once,
/// and expect_no_failure() throws when all are done.
template <Run run>
void serve(void* buffers[], void* argument) noexcept {
  starpu_task* const task = starpu_task_get_current();
  const auto& envelope = *static_cast<const Envelope*>(argument);
  Failure& failure = envelope.task->arguments->context->failure;
  if (failure.happened()) return;
  Desk& desk = *all_desks().of_worker[static_cast<std::size_t>(starpu_worker_get_id_check())];
  std::array<MatrixView, most_data_of_envelope> data;
  for (Index i = 0; i < envelope.data; ++i) data[i] = view_of(buffers[i]);
  try {
    desk.begin(envelope.content());
    run(envelope.content(), TaskData(data).first(envelope.data), desk);
    desk.end();
  } catch (const Error& error) {
    note_failure(error);
    return failure.report_elsewhere();
  }
  const auto diagonal = static_cast<std::size_t>(run == cuda::diagonal ? data[0].columns : 0);
  task->cl_ret = desk.result();
  task->cl_ret_size = (1 + diagonal) * sizeof(double);
  task->cl_ret_free = 0;
}

void open_here(void* /*argument*/) {
  const auto worker = static_cast<std::size_t>(starpu_worker_get_id_check());
  try {
    all_desks().of_worker[worker] = std::make_unique<Desk>(starpu_cuda_get_local_stream());
  } catch (const Error& error) {
    note_failure(error);
  }
}

void close_here(void* /*argument*/) {
  all_desks().of_worker[static_cast<std::size_t>(starpu_worker_get_id_check())].reset();
}

void close_all() { starpu_execute_on_each_worker(close_here, nullptr, STARPU_CUDA); }

}  // namespace

Desks::Desks() {
  if (starpu_cuda_worker_get_count() == 0) return;
  OpenDesks& desks = all_desks();
  const std::lock_guard lock(desks.counting);
  if (desks.users == 0) {
    starpu_execute_on_each_worker(open_here, nullptr, STARPU_CUDA);
    try {
      expect_no_failure();
    } catch (...) {
      close_all();
      throw;
    }
  }
  ++desks.users;
}

Desks::~Desks() {
  if (starpu_cuda_worker_get_count() == 0) return;
  OpenDesks& desks = all_desks();
  const std::lock_guard lock(desks.counting);
  if (--desks.users == 0) close_all();
}

void expect_no_failure() {
  OpenDesks& desks = all_desks();
  const std::lock_guard lock(desks.failing);
  if (!desks.failure.empty()) throw RuntimeFailure(std::exchange(desks.failure, {}));
}

std::string last_failure() {
  OpenDesks& desks = all_desks();
  const std::lock_guard lock(desks.failing);
  return desks.failure.empty() ? failure_of_this_thread() : desks.failure;
}

Index devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

Function function(TaskKind kind) {
  switch (kind) {
    case TaskKind::diagonal: return serve<diagonal>;
    case TaskKind::factor: return serve<factor>;
    case TaskKind::update: return serve<update>;
    case TaskKind::assemble: return serve<assemble>;
    case TaskKind::reduce: return serve<reduce>;
    case TaskKind::fill: return serve<fill>;
    case TaskKind::forward: return serve<forward>;
    case TaskKind::backward: return serve<backward>;
    default: return nullptr;
  }
}

}  // namespace espalier::cuda
