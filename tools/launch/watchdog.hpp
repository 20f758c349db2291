// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>

#include "base/options.hpp"

namespace espalier::internal {

inline constexpr Limits watchdog_seconds{0, 86400};

/// Notices when a rank dies or is stopped. A thread of each rank sends signs of life to the next
/// rank, so that a rank with long work does not count as lost. The next rank notices a loss even if
/// all ranks wait for a message that never arrives.
class Watchdog {
 public:
  /// Called at most once, from the watchdog's thread. `rank` is a lost rank, or a rank that has
  /// announced the end (`announced`) but has not ended the others. Threads that wait for that rank
  /// cannot be woken, so the function usually calls MPI_Abort.
  using Lost = std::function<void(Index rank, bool announced)>;

  /// Duplicates the communicator and starts the thread. A rank is lost if it sends no sign of life
  /// for `seconds`; 0 means never. Throws UsageError unless MPI was initialized with
  /// MPI_THREAD_MULTIPLE. Collective.
  Watchdog(MPI_Comm comm, Index seconds, Lost lost);
  /// Waits for all ranks, unless one is lost or ends all of them. Collective.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Tells the other ranks that this rank ends all of them and prints the reason. Not collective.
  void announce_end();
  /// Returns whether a rank has announced the end. Not collective.
  bool end_is_announced();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace espalier::internal
