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
#include "runtime/completion.hpp"

namespace espalier {

/// Messages and bytes that have left and reached this rank.
struct Traffic {
  Count messages_sent = 0;
  Count messages_received = 0;
  Count bytes_sent = 0;
  Count bytes_received = 0;
};

/// Sends and receives StarPU's data, in the order of the tasks submitted before and after: a send
/// leaves when the tasks before it are done, a reader of what is received waits for it. MPI is
/// called by a thread of its own. While messages are under way it sleeps between looks at them,
/// where the progress thread of StarPU-MPI spins as long as any receive is posted: on machines
/// where all cores have workers, that takes 40 % of a worker's time (two ranks on two cores).
/// Otherwise it sleeps until the next message.
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

  MPI_Comm communicator() const { return comm_; }
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

  void submit(Letter letter);
  void work();
  /// Hands to MPI what waits.
  void post(std::vector<Letter*>& ready);
  /// Ends the messages that are through; whether there were any.
  bool finish_some();
  void finish(Letter* letter, MPI_Status& status);

  MPI_Comm comm_ = MPI_COMM_NULL;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Letter*> ready_;  ///< whose data is there, not yet posted
  bool stop_ = false;
  Traffic traffic_;

  // The thread's own.
  std::vector<MPI_Request> request_;
  std::vector<Letter*> posted_;  ///< of each request
  std::vector<int> finished_;
  std::vector<MPI_Status> status_;
  std::thread thread_;
};

}  // namespace espalier
