// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/message_memory.hpp"

#include <starpu.h>

#include <cerrno>

namespace espalier {

namespace {
MemoryPool* pool_in_use = nullptr;  ///< StarPU's hooks carry no argument
}

MessageMemory::MessageMemory() : in_use_(starpu_is_initialized() == 0) {
  if (!in_use_) return;
  pool_in_use = &pool_;
  starpu_malloc_set_hooks(take, give_back);
}

MessageMemory::~MessageMemory() {
  if (!in_use_) return;
  starpu_malloc_set_hooks(nullptr, nullptr);
  pool_in_use = nullptr;
}

int MessageMemory::take(unsigned, void** memory, std::size_t bytes, int) {
  *memory = pool_in_use->take(bytes);
  return *memory != nullptr ? 0 : -ENOMEM;
}

int MessageMemory::give_back(unsigned, void* memory, std::size_t bytes, int) {
  pool_in_use->give_back(memory, bytes);
  return 0;
}

}  // namespace espalier
