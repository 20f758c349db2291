// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/functions.hpp"

#include <starpu.h>

#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "codelets/codelet.hpp"
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/tasks.hpp"
#include "espalier/error.hpp"

namespace espalier::internal::cuda {

namespace {

/// The device contexts of all CUDA workers, by worker number.
struct OpenDeviceContexts {
  std::mutex counting;  ///< held while workers open and close their contexts
  Index users = 0;
  std::array<std::unique_ptr<DeviceContext>, STARPU_NMAXWORKERS> of_worker;
  std::mutex failing;
  std::string failure;  ///< the first failure, of opening a context or of a task
};

OpenDeviceContexts& all_contexts() {
  static OpenDeviceContexts contexts;
  return contexts;
}

void note_failure(const Error& error) {
  OpenDeviceContexts& contexts = all_contexts();
  const std::lock_guard lock(contexts.failing);
  if (contexts.failure.empty()) contexts.failure = error.what();
}

/// Marks the data of a task that is skipped. If the device has failed, this may fail, too.
void mark_on_device(TaskData written, cudaStream_t stream) {
  for (const MatrixView& tile : written) {
    if (tile.rows == 0) continue;
    cudaMemcpyAsync(tile.data, &failure_mark, sizeof failure_mark, cudaMemcpyHostToDevice, stream);
  }
}

/// The function that StarPU calls for a task. It cannot throw. After a device has failed in a task,
/// later tasks only mark their data and return, and expect_no_failure() throws at the end.
void serve(void* buffers[], void* argument) noexcept {
  starpu_task* const task = starpu_task_get_current();
  const auto& payload = *static_cast<const TaskPayload*>(argument);
  FactorContext& factor = *payload.task->arguments->context;
  DeviceContext& context =
      *all_contexts().of_worker[static_cast<std::size_t>(starpu_worker_get_id_check())];
  std::array<MatrixView, most_data_of_payload> data;
  for (Index i = 0; i < payload.data; ++i) data[i] = view_of(buffers[i]);
  const TaskData written = payload.written.of(data);
  if (factor.has_failed()) return mark_on_device(written, context.stream());
  payload.task->record.begin = factor.clock.seconds();
  try {
    run(payload, TaskData(data).first(payload.data), context);
  } catch (const Error& error) {
    note_failure(error);
    factor.failure.report_elsewhere();
    return mark_on_device(written, context.stream());
  }
  task->cl_ret = context.result();
  task->cl_ret_size = static_cast<std::size_t>(1 + payload.results) * sizeof(double);
  task->cl_ret_free = 0;
}

void open_here(void* /*argument*/) {
  const auto worker = static_cast<std::size_t>(starpu_worker_get_id_check());
  try {
    all_contexts().of_worker[worker] =
        std::make_unique<DeviceContext>(starpu_cuda_get_local_stream());
  } catch (const Error& error) {
    note_failure(error);
  }
}

void close_here(void* /*argument*/) {
  all_contexts().of_worker[static_cast<std::size_t>(starpu_worker_get_id_check())].reset();
}

void close_all() { starpu_execute_on_each_worker(close_here, nullptr, STARPU_CUDA); }

}  // namespace

DeviceContexts::DeviceContexts() {
  if (starpu_cuda_worker_get_count() == 0) return;
  OpenDeviceContexts& contexts = all_contexts();
  const std::lock_guard lock(contexts.counting);
  if (contexts.users == 0) {
    starpu_execute_on_each_worker(open_here, nullptr, STARPU_CUDA);
    try {
      expect_no_failure();
    } catch (...) {
      close_all();
      throw;
    }
  }
  ++contexts.users;
}

DeviceContexts::~DeviceContexts() {
  if (starpu_cuda_worker_get_count() == 0) return;
  OpenDeviceContexts& contexts = all_contexts();
  const std::lock_guard lock(contexts.counting);
  if (--contexts.users == 0) close_all();
}

void expect_no_failure() {
  OpenDeviceContexts& contexts = all_contexts();
  const std::lock_guard lock(contexts.failing);
  if (!contexts.failure.empty()) throw RuntimeFailure(std::exchange(contexts.failure, {}));
}

std::string last_failure() {
  OpenDeviceContexts& contexts = all_contexts();
  const std::lock_guard lock(contexts.failing);
  return contexts.failure.empty() ? failure_of_this_thread() : contexts.failure;
}

bool is_built() { return true; }

Index devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::vector<DeviceIdentity> identities() {
  std::vector<DeviceIdentity> all;
  for (Index device = 0; device < devices(); ++device) {
    cudaDeviceProp properties{};
    expect_success(cudaGetDeviceProperties(&properties, device), "telling which it is");
    DeviceIdentity& identity = all.emplace_back();
    static_assert(sizeof identity == sizeof properties.uuid);
    std::memcpy(identity.data(), &properties.uuid, sizeof identity);
    for (unsigned& word : identity) word &= ~0U >> 1;
  }
  return all;
}

namespace {

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

void expect_driver() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice) return;
  if (status != cudaErrorInsufficientDriver) return expect_success(status, "being counted");
  int newest = 0;
  if (cudaDriverGetVersion(&newest) != cudaSuccess || newest == 0) return;
  throw RuntimeFailure("the driver of this machine supports CUDA " + version(newest) +
                       ", but this program needs " + version(CUDART_VERSION) +
                       "; install a newer driver, or leave out --cuda-devices");
}

}  // namespace

void expect_usable(std::span<const unsigned> devices) {
  expect_driver();
  for (const unsigned device : devices) {
    with_device(device, [] { expect_success(cudaFree(nullptr), "being opened"); });
  }
}

void with_device(unsigned device, const std::function<void()>& work) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      expect_success(cudaSetDevice(static_cast<int>(device)), "being opened");
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

Function function(TaskKind kind) { return CudaMessages::include(kind) ? serve : nullptr; }

}  // namespace espalier::internal::cuda
