// SPDX-License-Identifier: BSD-3-Clause
#include <starpu.h>

#include <algorithm>

#include "codelets/cuda/check.hpp"
#include "codelets/cuda/functions.hpp"
#include "espalier/error.hpp"

namespace espalier::internal::cuda {

namespace {

/// Minimum ratio of the free memory on a device to the size of a copy.
constexpr std::size_t times_free = 64;

/// Returns a copy on the device of this thread, or null if there is not enough free memory.
const std::byte* copy_of(std::span<const std::byte> memory, unsigned node) {
  std::size_t free = 0;
  std::size_t total = 0;
  expect_success(cudaMemGetInfo(&free, &total), "reading its free memory");
  if (memory.size() > free / times_free) return nullptr;
  if (starpu_memory_allocate(node, memory.size(), 0) != 0) return nullptr;
  void* there = nullptr;
  if (cudaMalloc(&there, memory.size()) != cudaSuccess) {
    starpu_memory_deallocate(node, memory.size());
    return nullptr;
  }
  expect_success(cudaMemcpy(there, memory.data(), memory.size(), cudaMemcpyHostToDevice),
                 "copying messages to it");
  return static_cast<const std::byte*>(there);
}

}  // namespace

DeviceCopies::DeviceCopies(std::span<const std::byte> memory) {
  if (memory.empty() || starpu_cuda_worker_get_count() == 0) return;
  memory_.here = memory;
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    const auto id = static_cast<int>(worker);
    if (starpu_worker_get_type(id) != STARPU_CUDA_WORKER) continue;
    const auto device = static_cast<std::size_t>(starpu_worker_get_devid(id));
    if (device < memory_.there.size() && memory_.there[device] != nullptr) continue;
    memory_.there.resize(std::max(memory_.there.size(), device + 1));
    node_.resize(memory_.there.size());
    node_[device] = starpu_worker_get_memory_node(worker);
    with_device(static_cast<unsigned>(device),
                [&] { memory_.there[device] = copy_of(memory, node_[device]); });
  }
}

DeviceCopies::~DeviceCopies() {
  for (std::size_t device = 0; device < memory_.there.size(); ++device) {
    const std::byte* const there = memory_.there[device];
    if (there == nullptr) continue;
    starpu_memory_deallocate(node_[device], memory_.here.size());
    try {
      with_device(static_cast<unsigned>(device), [&] {
        expect_success(cudaFree(const_cast<std::byte*>(there)), "giving memory back");
      });
    } catch (const RuntimeFailure&) {  // the device has failed, so its memory is lost anyway
      continue;
    }
  }
}

}  // namespace espalier::internal::cuda
