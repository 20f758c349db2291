// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "codelets/context.hpp"
#include "espalier/types.hpp"
#include "graph/exchange.hpp"
#include "runtime/starpu/transfers.hpp"

namespace espalier::internal {

/// The transfer engine over plain MPI.
///
/// Workers look after the messages, between tasks and while they have none. A thread of its own
/// does so only where all of them compute for long: it sleeps most of the time, where the progress
/// thread of StarPU-MPI spins as long as any receive is posted. Where all cores have workers, that
/// takes 40 % of a worker's time (two ranks on two cores). StarPU has to run for as long as the
/// object lives.
class Messenger : public TransferEngine {
 public:
  /// Messages are apart from all others of the communicator. Collective. Throws UsageError where
  /// MPI lacks MPI_THREAD_MULTIPLE.
  explicit Messenger(MPI_Comm comm);
  /// Waits for all messages. Collective.
  ~Messenger() override;
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  void submit(const Message& message, starpu_data_handle_t data, int priority,
              const TransferOwner& owner) override;
  bool makes_wait() const override;
  Completion::BetweenTasks progress() const override { return look_at_all; }

  /// Data that are to be made here get memory; end() takes it back when they have left. `room`: see
  /// MemoryWindow.
  void begin(starpu_data_handle_t data, Count room, const TransferOwner& owner);
  void end(starpu_data_handle_t data, const TransferOwner& owner);
  /// Sends with higher priority go first. After a failure what leaves has no content.
  void send(starpu_data_handle_t data, Index rank, Index tag, int priority,
            const TransferOwner& owner);
  /// What comes without content is a failure elsewhere. Where the data have no memory they get it
  /// for this, and release() takes it back after the last use.
  void receive(starpu_data_handle_t data, Index rank, Index tag, const TransferOwner& owner,
               Count room = 0);
  void release(starpu_data_handle_t data, const TransferOwner& owner);

  /// Looks after the messages of all objects, unless somebody else does so. Whoever ends a task
  /// calls it.
  static void look_at_all();

  /// Returns the smallest of the values of all ranks. Collective; the thread that waits sleeps,
  /// too.
  Index least_of_all(Index value) const;
  /// Counts all that has left and reached this rank so far.
  Traffic traffic() const;

 private:
  struct PendingTransfer {
    Messenger* messenger;
    Message::Kind kind;
    starpu_data_handle_t data;
    TransferOwner owner;
    Count room = 0;
    Index rank = -1;
    Index tag = -1;
    int priority = 0;
    bool is_there = false;  ///< the data is there

    bool sends() const { return kind == Message::Kind::send; }
    bool is_made() const { return kind == Message::Kind::begin || kind == Message::Kind::end; }
    bool frees() const { return kind == Message::Kind::end || kind == Message::Kind::release; }
    /// Whether it waits for memory, in the order of submission.
    bool queues() const { return owner.window != nullptr && !sends() && !frees(); }
    MemoryWindow::Sort sort() const {
      return is_made() ? MemoryWindow::Sort::made : MemoryWindow::Sort::received;
    }
  };
  using Queue = std::deque<PendingTransfer*>;
  static void data_is_there(void* transfer);
  static unsigned look_from_worker(void*);

  void start(PendingTransfer transfer);
  void has_data(PendingTransfer* transfer);
  Queue& queue_of(const PendingTransfer& transfer) {
    return transfer.is_made() ? to_make_ : to_receive_;
  }
  /// The caller has `mutex_`.
  void admit_some(Queue& queue);
  void free(PendingTransfer* transfer);
  void close(PendingTransfer* transfer);
  void watch();
  /// Hands to MPI what waits, and ends the messages that are through. The caller has `looking`.
  void look();
  void post(PendingTransfer* transfer);
  void finish_some();
  void finish(PendingTransfer* transfer, MPI_Status& status);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int hook_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Queue to_make_;     ///< all that wait for memory to be made in, with data or not
  Queue to_receive_;  ///< all that wait to be received, with data or not
  std::vector<PendingTransfer*> ready_;  ///< the others whose data is there, not yet posted
  Count under_way_ = 0;                  ///< how many wait with data, are ready or are posted
  bool stop_ = false;
  Traffic traffic_;

  // These belong to who looks.
  std::vector<PendingTransfer*> taken_;
  std::vector<MPI_Request> request_;
  std::vector<PendingTransfer*> posted_;  ///< by request, its transfer
  std::vector<int> finished_;
  std::vector<MPI_Status> status_;

  std::thread watch_;
};

}  // namespace espalier::internal
