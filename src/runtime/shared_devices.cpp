// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/shared_devices.hpp"

#include <starpu.h>

#include <optional>

namespace espalier {

namespace {

/// Of the CUDA device of this number; nothing where no worker has it.
std::optional<unsigned> memory_node_of(unsigned number) {
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    const auto id = static_cast<int>(worker);
    if (starpu_worker_get_type(id) != STARPU_CUDA_WORKER) continue;
    if (starpu_worker_get_devid(id) == static_cast<int>(number)) {
      return starpu_worker_get_memory_node(worker);
    }
  }
  return std::nullopt;
}

}  // namespace

SharedMemories::SharedMemories(std::span<const SharedDevice> devices) {
  for (const SharedDevice& device : devices) {
    const std::optional<unsigned> node = memory_node_of(device.number);
    if (!node) continue;
    const Count total = starpu_memory_get_total(*node);
    if (total <= 0) continue;
    const auto bytes = static_cast<std::size_t>(part_of_others(total, device.ranks));
    if (starpu_memory_allocate(*node, bytes, STARPU_MEMORY_OVERFLOW) == 0) {
      left_.emplace_back(*node, bytes);
    }
  }
}

SharedMemories::~SharedMemories() {
  for (const auto& [node, bytes] : left_) starpu_memory_deallocate(node, bytes);
}

}  // namespace espalier
