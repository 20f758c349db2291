// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pinned_memory.hpp"

#include <starpu.h>

namespace espalier {

PinnedMemory::PinnedMemory(std::span<double> memory)
    : memory_(memory), pinned_(starpu_memory_pin(memory.data(), memory.size_bytes()) == 0) {}

PinnedMemory::~PinnedMemory() {
  if (pinned_) starpu_memory_unpin(memory_.data(), memory_.size_bytes());
}

}  // namespace espalier
