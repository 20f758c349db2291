// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "base/memory_pool.hpp"

namespace espalier {

/// While it lives, memory that StarPU takes for data without memory of their own, as messages and
/// contributions are, comes from a pool. Each factorization takes and gives back the same again;
/// from the system, its pages cost elasticity3d:20x20x20 on two ranks an eighth of the time. One at
/// a time, which outlives StarPU; nothing to a StarPU that runs already.
class MessageMemory {
 public:
  MessageMemory();
  ~MessageMemory();
  MessageMemory(const MessageMemory&) = delete;
  MessageMemory& operator=(const MessageMemory&) = delete;

 private:
  static int take(unsigned node, void** memory, std::size_t bytes, int flags);
  static int give_back(unsigned node, void* memory, std::size_t bytes, int flags);

  MemoryPool pool_;
  bool in_use_;
};

}  // namespace espalier
