// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <span>

#include "codelets/context.hpp"
#include "graph/task_graph.hpp"
#include "runtime/memory_window.hpp"
#include "runtime/starpu/completion.hpp"

namespace espalier::internal {

/// Who is told of the end of a transfer, which counts as a task under way, whose window gives
/// memory to data that have none of their own, and where what arrives may report the failure of
/// another rank: tasks of accelerators, unlike those of CPUs, do not look for it in what they read.
struct TransferOwner {
  Completion& completion;
  MemoryWindow* window = nullptr;
  Failure* failure = nullptr;
};

/// Moves StarPU's data between ranks, in the order of the tasks submitted before and after: a send
/// leaves when the tasks before it are done, a reader of what is received waits for it.
class TransferEngine {
 public:
  virtual ~TransferEngine() = default;
  /// Does what the message says with this data. Sends of higher priority go first.
  virtual void submit(const Message& message, starpu_data_handle_t data, int priority,
                      const TransferOwner& owner) = 0;
  /// Whether data that are to be made here wait for memory, and tasks with them.
  virtual bool makes_wait() const = 0;
};

/// What travels between the tasks of a list, and by which engine: null where all messages discard
/// data.
struct Transfers {
  std::span<const Message> message;
  TransferEngine* engine;
  MemoryWindow* window = nullptr;  ///< gives memory to data that have none of their own
  Failure* failure = nullptr;      ///< is told of failures of other ranks
};

}  // namespace espalier::internal
