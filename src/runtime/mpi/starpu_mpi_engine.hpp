// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include <deque>
#include <mutex>

#include "graph/exchange.hpp"
#include "runtime/starpu/transfers.hpp"

namespace espalier::internal {

/// What messages of one rank took from the memory of a device, and put there, without the host.
struct DirectTraffic {
  Count messages_sent = 0;
  Count messages_received = 0;
  Count bytes_sent = 0;
  Count bytes_received = 0;
  bool operator==(const DirectTraffic&) const = default;
};

/// The transfer engine over StarPU-MPI, which runs for as long as the object lives: detached sends
/// that leave once the receive is posted, and receives that are posted once there is memory for
/// them, so that no rank holds more of others than its window.
///
/// Where MPI knows the memory of devices (messages_reach_devices()), a send leaves from a device
/// that alone has the data. StarPU-MPI receives into a device which had the data in an earlier
/// factorization, and is made to where a device is to read a message first; the memory of the
/// window stays theirs, for the host and for when the device is full.
class StarpuMpiEngine : public TransferEngine {
 public:
  /// The communicator is that of StarPU-MPI. No rank may send itself anything.
  StarpuMpiEngine(MPI_Comm comm, Index rank) : comm_(comm), rank_(rank) {}

  void submit(const Message& message, starpu_data_handle_t data, int priority,
              const TransferOwner& owner) override;
  bool makes_wait() const override;

  /// Counts all that has left and reached this rank so far.
  Traffic traffic() const;
  /// Counts what of that had nothing to do with the host's memory: by where data were when a send
  /// was about to leave, and when a receive had come.
  DirectTraffic direct_traffic() const;

 private:
  /// Data that wait for memory or for their last use, or a message under way.
  struct PendingTransfer {
    StarpuMpiEngine* engine;
    Message::Kind kind;
    starpu_data_handle_t data;
    TransferOwner owner;
    Count room = 0;
    bool is_there = false;       ///< nobody else uses the data
    int node = STARPU_MAIN_RAM;  ///< the memory node that has been acquired

    MemoryWindow::Sort sort() const {
      return kind == Message::Kind::begin ? MemoryWindow::Sort::made : MemoryWindow::Sort::received;
    }
  };
  using Queue = std::deque<PendingTransfer*>;
  static void has_data(void* transfer);
  static void has_travelled(void* transfer);
  static void is_seen(void* transfer);
  static void choose_node(void* transfer, int* node, starpu_data_access_mode mode);
  static void has_room(void* transfer);

  void take_memory(const Message& message, starpu_data_handle_t data, const TransferOwner& owner);
  void give_memory_back(const Message& message, starpu_data_handle_t data,
                        const TransferOwner& owner);
  void acquire(PendingTransfer* transfer, int node, starpu_data_access_mode mode,
               void (*acquired)(void*));
  /// Looks where the data are that are about to leave, or have come, and what they say.
  void look(const Message& message, starpu_data_handle_t data, const TransferOwner& owner);
  /// Has a device take memory for data that are to be received there.
  void prepare_device(const Message& message, starpu_data_handle_t data,
                      const TransferOwner& owner);
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
  DirectTraffic direct_;
};

}  // namespace espalier::internal
