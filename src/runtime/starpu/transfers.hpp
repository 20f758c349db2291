// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <span>

#include "codelets/context.hpp"
#include "graph/task_graph.hpp"
#include "runtime/buffer_pool.hpp"
#include "runtime/starpu/completion.hpp"

namespace espalier::internal {

/// Context of a transfer: the counter that counts it as an unfinished task, the pool that gives
/// memory to data without memory, and the failure that received data may report for another rank.
/// Tasks of accelerators, unlike those of CPUs, do not check their input for such a failure.
struct TransferOwner {
  Completion& completion;
  BufferPool* pool = nullptr;
  Failure* failure = nullptr;
  Index series = 0;  ///< messages of different series may have the same tags at the same time
};

/// Moves StarPU's data between ranks, in the order of the submitted tasks. A send starts when the
/// tasks before it have ended; a task that reads received data waits for the receive.
class TransferEngine {
 public:
  virtual ~TransferEngine() = default;
  /// Submits the message for this data. Sends of higher priority go first.
  virtual void submit(const Message& message, starpu_data_handle_t data, int priority,
                      const TransferOwner& owner) = 0;
  /// Returns whether data that this rank makes, and the tasks that write them, wait for memory.
  virtual bool makes_wait() const = 0;
};

/// Messages between the tasks of a list, and the engine that carries them. The engine is null if
/// all messages discard data.
struct Transfers {
  std::span<const Message> message;
  TransferEngine* engine;
  BufferPool* pool = nullptr;  ///< gives memory to data without memory
  Failure* failure = nullptr;  ///< receives the failures of other ranks
  Index series = 0;            ///< see TransferOwner
};

}  // namespace espalier::internal
