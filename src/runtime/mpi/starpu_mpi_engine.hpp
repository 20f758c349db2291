// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include <deque>
#include <mutex>

#include "graph/exchange.hpp"
#include "runtime/starpu/transfers.hpp"

namespace espalier::internal {

/// The transfer engine over StarPU-MPI, which runs for as long as the object lives: detached sends
/// that leave once the receive is posted, and receives that are posted once there is memory for
/// them, so that no rank holds more of others than its window.
class StarpuMpiEngine : public TransferEngine {
 public:
  /// The communicator is that of StarPU-MPI. No rank may send itself anything.
  StarpuMpiEngine(MPI_Comm comm, Index rank) : comm_(comm), rank_(rank) {}

  void submit(const Message& message, starpu_data_handle_t data, int priority,
              const TransferOwner& owner) override;
  bool makes_wait() const override;

  /// Counts all that has left and reached this rank so far.
  Traffic traffic() const;

 private:
  /// Data that wait for memory or for their last use, or a message under way.
  struct PendingTransfer {
    StarpuMpiEngine* engine;
    Message::Kind kind;
    starpu_data_handle_t data;
    TransferOwner owner;
    Count room = 0;
    bool is_there = false;  ///< nobody else uses the data

    MemoryWindow::Sort sort() const {
      return kind == Message::Kind::begin ? MemoryWindow::Sort::made : MemoryWindow::Sort::received;
    }
  };
  using Queue = std::deque<PendingTransfer*>;
  static void has_data(void* transfer);
  static void has_travelled(void* transfer);

  void take_memory(const Message& message, starpu_data_handle_t data, const TransferOwner& owner);
  void give_memory_back(const Message& message, starpu_data_handle_t data,
                        const TransferOwner& owner);
  void acquire(PendingTransfer* transfer);
  void travel(const Message& message, starpu_data_handle_t data, int priority,
              const TransferOwner& owner);
  /// Gives memory to those whose turn it is.
  void admit_some();
  void admit_some(Queue& queue, Queue& admitted);
  static void close(PendingTransfer* transfer);

  MPI_Comm comm_;
  Index rank_;
  mutable std::mutex mutex_;
  Queue to_make_;     ///< all that wait for memory to be made in, with data or not
  Queue to_receive_;  ///< all that wait to be received, with data or not
  Traffic traffic_;
};

}  // namespace espalier::internal
