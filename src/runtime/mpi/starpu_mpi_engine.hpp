// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include <deque>
#include <mutex>

#include "graph/exchange.hpp"
#include "runtime/starpu/transfers.hpp"

namespace espalier::internal {

/// Messages of one rank that left from or arrived in the memory of a device without the host.
struct DirectTraffic {
  Count messages_sent = 0;
  Count messages_received = 0;
  Count bytes_sent = 0;
  Count bytes_received = 0;
  bool operator==(const DirectTraffic&) const = default;
};

/// Transfer engine over StarPU-MPI, which must run during the lifetime of the object. Sends are
/// detached, and leave once the receive is posted. Receives are posted once there is memory for
/// them. So a rank never holds more received data than its buffer pool allows.
///
/// If MPI supports the memory of devices (messages_reach_devices()), data that only a device has
/// are sent from the device. StarPU-MPI receives into a device that had the data in an earlier
/// factorization. If a device reads a message first, the engine makes StarPU-MPI receive it into
/// that device. The data keep their memory in the buffer pool, for the host and for the case that
/// the device is full.
class StarpuMpiEngine : public TransferEngine {
 public:
  /// `comm` is the communicator of StarPU-MPI. A rank must not send a message to itself.
  StarpuMpiEngine(MPI_Comm comm, Index rank) : comm_(comm), rank_(rank) {}

  void submit(const Message& message, starpu_data_handle_t data, int priority,
              const TransferOwner& owner) override;
  bool makes_wait() const override;

  /// Returns the traffic of this rank so far.
  Traffic traffic() const;
  /// Returns the part of the traffic that bypassed the memory of the host. A message counts if only
  /// a device had its data just before the send or just after the receive.
  DirectTraffic direct_traffic() const;

 private:
  /// Data that wait for memory or for their last use, or a message in transfer.
  struct PendingTransfer {
    StarpuMpiEngine* engine;
    Message::Kind kind;
    starpu_data_handle_t data;
    TransferOwner owner;
    Count group_bytes = 0;
    bool is_there = false;       ///< no other thread uses the data
    int node = STARPU_MAIN_RAM;  ///< acquired memory node

    BufferPool::Sort sort() const {
      return kind == Message::Kind::begin ? BufferPool::Sort::made : BufferPool::Sort::received;
    }
  };
  using Queue = std::deque<PendingTransfer*>;
  static void has_data(void* transfer);
  static void has_travelled(void* transfer);
  static void is_seen(void* transfer);
  static void choose_node(void* transfer, int* node, starpu_data_access_mode mode);
  static void fits(void* transfer);

  void take_memory(const Message& message, starpu_data_handle_t data, const TransferOwner& owner);
  void give_memory_back(const Message& message, starpu_data_handle_t data,
                        const TransferOwner& owner);
  void acquire(PendingTransfer* transfer, int node, starpu_data_access_mode mode,
               void (*acquired)(void*));
  /// Before a send or after a receive, finds out which memory has the data. Also finds out whether
  /// received data report a failure.
  void inspect(const Message& message, starpu_data_handle_t data, const TransferOwner& owner);
  /// Makes a device allocate memory for data that it will receive.
  void prepare_device(const Message& message, starpu_data_handle_t data,
                      const TransferOwner& owner);
  void travel(const Message& message, starpu_data_handle_t data, int priority,
              const TransferOwner& owner);
  /// Gives memory to waiting data in their order.
  void admit_some();
  void admit_some(Queue& queue, Queue& admitted);
  static void close(PendingTransfer* transfer);

  MPI_Comm comm_;
  Index rank_;
  mutable std::mutex mutex_;
  /// Transfers that wait for memory for data that this rank makes. Tasks may still use the data.
  Queue to_make_;
  /// Receives that wait for memory. Tasks may still use the data.
  Queue to_receive_;
  Traffic traffic_;
  DirectTraffic direct_;
};

}  // namespace espalier::internal
