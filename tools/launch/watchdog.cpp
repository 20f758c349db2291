// SPDX-License-Identifier: BSD-3-Clause

#include "launch/watchdog.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/mpi/communicator.hpp"

namespace espalier::internal {

namespace {

/// Maximum number of consecutive signs of life that may be missing. Missing signs are counted
/// instead of measuring the time since the last sign. Otherwise ranks that were all stopped
/// together would find a lost rank when they wake up.
constexpr int most_missing = 4;
constexpr std::chrono::milliseconds short_pause{1};

/// Tags of empty messages.
enum class Word : int { alive, done, failed };

}  // namespace

struct Watchdog::Data {
  Data(MPI_Comm of, Index seconds, Lost call)
      : comm(of), lost(std::move(call)), interval(static_cast<double>(seconds) / most_missing) {
    listen();
    if (seconds == 0 || comm.size() == 1) return;
    thread = std::thread([this] { watch(); });
  }

  Index next() const { return (comm.rank() + 1) % comm.size(); }
  Index previous() const { return (comm.rank() + comm.size() - 1) % comm.size(); }

  bool listen() {
    return MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm.get(), &receiving) ==
           MPI_SUCCESS;
  }

  void hear() {
    MPI_Status status;
    int came = 0;
    while (MPI_Test(&receiving, &came, &status) == MPI_SUCCESS && came != 0) {
      note(static_cast<Word>(status.MPI_TAG), status.MPI_SOURCE);
      if (!listen()) return;
    }
  }

  void note(Word word, Index rank) {
    switch (word) {
      case Word::alive: missing_signs = 0; break;
      case Word::done: previous_is_done = true; break;
      case Word::failed:
        is_reported = true;
        ends = rank;
        break;
    }
  }

  /// Sends an empty message. It is either sent immediately or never.
  void say(Word word, Index to) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(nullptr, 0, MPI_BYTE, to, static_cast<int>(word), comm.get(), &request) !=
        MPI_SUCCESS)
      return;
    int gone = 0;
    MPI_Test(&request, &gone, MPI_STATUS_IGNORE);
    if (gone == 0) MPI_Request_free(&request);
  }

  void say_to_others(Word word) {
    for (Index rank = 0; rank < comm.size(); ++rank) {
      if (rank != comm.rank()) say(word, rank);
    }
  }

  void watch() {
    std::unique_lock lock(mutex);
    int waits_for_end = 0;
    do {
      say(Word::alive, next());
      ++missing_signs;
      hear();
      waits_for_end += is_reported ? 1 : 0;
      if (missing_signs > most_missing || waits_for_end > most_missing) {
        is_lost = true;
        lock.unlock();
        return lost(is_reported ? ends : previous(), is_reported);
      }
    } while (!changed.wait_for(lock, interval, [this] { return stop; }));
  }

  /// Waits until the condition holds. The condition is evaluated under the lock.
  template <typename F>
  void wait_until(F holds) {
    while (true) {
      {
        const std::lock_guard lock(mutex);
        hear();
        if (holds()) return;
      }
      std::this_thread::sleep_for(short_pause);
    }
  }

  /// Waits for all ranks; signs of life continue until the last one has arrived. Returns false if
  /// that will not happen.
  bool meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm.get(), &request);
    int met = 0;
    wait_until([&] {
      MPI_Test(&request, &met, MPI_STATUS_IGNORE);
      return met != 0 || is_lost || is_reported;
    });
    return !is_lost && !is_reported;
  }

  /// Receives the pending messages of the previous rank. Returns false if they will not end.
  bool take_leave() {
    say(Word::done, next());
    wait_until([this] { return previous_is_done || is_reported; });
    return previous_is_done;
  }

  void end_thread() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    changed.notify_one();
    if (thread.joinable()) thread.join();
  }

  Communicator comm;
  Lost lost;
  std::chrono::duration<double> interval;  ///< time between two signs
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
  MPI_Request receiving = MPI_REQUEST_NULL;
  int missing_signs = 0;  ///< number of consecutive signs of the previous rank that are missing
  bool stop = false;
  bool is_lost = false;
  bool is_reported = false;
  bool previous_is_done = false;
  Index ends = 0;  ///< the rank that ends all ranks, if one has announced it
};

Watchdog::Watchdog(MPI_Comm comm, Index seconds, Lost lost) {
  expect_within(watchdog_seconds, "seconds", seconds);
  data_ = std::make_unique<Data>(comm, seconds, std::move(lost));
}

Watchdog::~Watchdog() {
  Data& d = *data_;
  const bool met = d.meet();
  d.end_thread();
  // Messages are still pending, so the communicator cannot be freed.
  if (!met || !d.take_leave()) {
    static_cast<void>(data_.release());
    return;
  }
  MPI_Cancel(&d.receiving);
  MPI_Wait(&d.receiving, MPI_STATUS_IGNORE);
}

void Watchdog::announce_end() {
  {
    const std::lock_guard lock(data_->mutex);
    data_->is_reported = data_->stop = true;
    data_->say_to_others(Word::failed);
  }
  data_->changed.notify_one();
}

bool Watchdog::end_is_announced() {
  const std::lock_guard lock(data_->mutex);
  data_->hear();
  return data_->is_reported;
}

}  // namespace espalier::internal
