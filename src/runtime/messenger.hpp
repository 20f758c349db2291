// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "codelets/failure.hpp"
#include "espalier/types.hpp"
#include "graph/exchange.hpp"
#include "runtime/completion.hpp"
#include "runtime/memory_window.hpp"

namespace espalier {

/// Sends and receives StarPU's data, in the order of the tasks submitted before and after: a send
/// leaves when the tasks before it are done, a reader of what is received waits for it.
///
/// Workers look after the messages, between tasks and while they have none. A thread of its own
/// does so only where all of them compute for long: it sleeps most of the time, where the progress
/// thread of StarPU-MPI spins as long as any receive is posted. Where all cores have workers, that
/// takes 40 % of a worker's time (two ranks on two cores). StarPU has to run for as long as the
/// object lives.
class Messenger {
 public:
  /// Messages are apart from all others of the communicator. Collective. Throws UsageError where
  /// MPI lacks MPI_THREAD_MULTIPLE.
  explicit Messenger(MPI_Comm comm);
  /// Waits for all messages. Collective.
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  /// Who is told of the end of a message, which counts as a task under way, whose failure makes it
  /// empty, and whose window gives memory to data that have none of their own.
  struct Party {
    Completion& completion;
    Failure& failure;
    MemoryWindow* window = nullptr;
  };
  /// Data that are to be made here get memory; end() takes it back when they have left. `room`: see
  /// MemoryWindow.
  void begin(starpu_data_handle_t data, Count room, Party party);
  void end(starpu_data_handle_t data, Party party);
  /// Those with higher priority go first. After a failure what leaves has no content.
  void send(starpu_data_handle_t data, Index rank, Index tag, int priority, Party party);
  /// What comes without content is a failure elsewhere. Where the data have no memory they get it
  /// for this, and release() takes it back after the last use.
  void receive(starpu_data_handle_t data, Index rank, Index tag, Party party, Count room = 0);
  void release(starpu_data_handle_t data, Party party);

  /// Looks after the messages of all objects, unless somebody else does so: whoever ends a task.
  static void look_at_all();

  /// Whether data that are to be made here wait for memory, and tasks with them.
  bool makes_wait() const;

  /// The smallest of the values of all ranks. Collective; the thread that waits sleeps, too.
  Index least_of_all(Index value) const;
  /// All that has left and reached this rank so far.
  Traffic traffic() const;

 private:
  struct Letter {
    Messenger* messenger;
    Message::Kind kind;
    starpu_data_handle_t data;
    Party party;
    Count room = 0;
    Index rank = -1;
    Index tag = -1;
    int priority = 0;
    bool is_there = false;  ///< its data

    bool sends() const { return kind == Message::Kind::send; }
    bool is_made() const { return kind == Message::Kind::begin || kind == Message::Kind::end; }
    bool frees() const { return kind == Message::Kind::end || kind == Message::Kind::release; }
    /// Whether it waits for memory, in the order of submission.
    bool queues() const { return party.window != nullptr && !sends() && !frees(); }
    MemoryWindow::Sort sort() const {
      return is_made() ? MemoryWindow::Sort::made : MemoryWindow::Sort::received;
    }
  };
  using Queue = std::deque<Letter*>;
  static void data_is_there(void* letter);
  static unsigned look_from_worker(void*);

  void submit(Letter letter);
  void has_data(Letter* letter);
  Queue& queue_of(const Letter& letter) { return letter.is_made() ? to_make_ : to_receive_; }
  /// Under `mutex_`.
  void admit_some(Queue& queue);
  void free(Letter* letter);
  void close(Letter* letter);
  void watch();
  /// Hands to MPI what waits, and ends the messages that are through. Under `looking`.
  void look();
  void post(Letter* letter);
  void finish_some();
  void finish(Letter* letter, MPI_Status& status);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int hook_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Queue to_make_;               ///< all that wait for memory, with data or not
  Queue to_receive_;            ///< the same
  std::vector<Letter*> ready_;  ///< the others whose data is there, not yet posted
  Count under_way_ = 0;         ///< waiting with data, ready or posted
  bool stop_ = false;
  Traffic traffic_;

  // Of who looks.
  std::vector<Letter*> taken_;
  std::vector<MPI_Request> request_;
  std::vector<Letter*> posted_;  ///< of each request
  std::vector<int> finished_;
  std::vector<MPI_Status> status_;

  std::thread watch_;
};

}  // namespace espalier
