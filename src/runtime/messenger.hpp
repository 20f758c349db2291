// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "codelets/failure.hpp"
#include "espalier/types.hpp"
#include "graph/exchange.hpp"
#include "runtime/completion.hpp"

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

  /// Who is told of the end of a message, which counts as a task under way, and whose failure makes
  /// it empty.
  struct Party {
    Completion& completion;
    Failure& failure;
  };
  /// Those with higher priority go first. After a failure what leaves has no content.
  void send(starpu_data_handle_t data, Index rank, Index tag, int priority, Party party);
  /// Into new memory of StarPU where the data has no other. What comes without content is a failure
  /// elsewhere.
  void receive(starpu_data_handle_t data, Index rank, Index tag, Party party);

  /// Looks after the messages of all objects, unless somebody else does so: whoever ends a task.
  static void look_at_all();

  /// The smallest of the values of all ranks. Collective; the thread that waits sleeps, too.
  Index least_of_all(Index value) const;
  /// All that has left and reached this rank so far.
  Traffic traffic() const;

 private:
  struct Letter {
    Messenger* messenger;
    starpu_data_handle_t data;
    bool sends;
    Index rank;
    Index tag;
    int priority;
    Party party;
  };
  static void data_is_there(void* letter);
  static unsigned look_from_worker(void*);

  void submit(Letter letter);
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
  std::vector<Letter*> ready_;  ///< whose data is there, not yet posted
  Count under_way_ = 0;         ///< ready or posted
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
