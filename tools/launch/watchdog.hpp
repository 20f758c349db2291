// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>

#include "base/options.hpp"

namespace espalier::internal {

inline constexpr Limits watchdog_seconds{0, 86400};

/// Notices when a rank dies or is stopped. A thread of each rank sends signs of life to the next
/// one, so that a rank at long work is no loss, and one thread of each dead one's neighbours knows
/// of it, also while all others wait for a message that never comes.
class Watchdog {
 public:
  /// A Lost is called once at most, from the watchdog's thread, with a rank that is lost, or one
  /// that has announced the end and does not bring it about. What waits for that rank cannot be
  /// woken: the usual thing to do is to call MPI_Abort.
  using Lost = std::function<void(Index rank, bool announced)>;

  /// Duplicates the communicator and starts the thread. A rank that gives no sign of life for so
  /// many seconds is lost; 0 means that none ever is. Throws UsageError unless MPI was initialised
  /// with MPI_THREAD_MULTIPLE. It is collective.
  Watchdog(MPI_Comm comm, Index seconds, Lost lost);
  /// Waits for all ranks, unless one is lost or ends all. It is collective.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Lets the others know that this rank ends all of them, and says why. It is not collective.
  void announce_end();
  /// Returns whether a rank has announced that. It is not collective.
  bool end_is_announced();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace espalier::internal
