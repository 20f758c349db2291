// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/caught_error.hpp"
#include "launch/signals.hpp"
#include "launch/watchdog.hpp"
#include "runtime/mpi/communicator.hpp"

namespace espalier::internal {

/// Returns the number of processes that mpirun or a batch system started together, this one
/// included. It comes from the environment and is 1 without such a launcher.
Index launched_ranks();
/// Returns the number of this process among the launched ones, from 0.
Index launched_rank();

/// Throws UsageError if a launcher started several processes but MPI sees only this one. The
/// launcher then belongs to another MPI or does not support this one, and each process would solve
/// the whole system. Must be called before ranks exchange messages.
void expect_launcher_of(const Communicator& world);

/// Throws UsageError on all ranks if several of them are on one machine. The message names the
/// subcommand that needs a machine per rank. Collective.
void expect_own_machines(const Communicator& world, const std::string& what);

/// A time limit for the start of MPI. MPI waits forever for a rank that is stopped, and ranks
/// cannot send signs of life before it has started. If this object exists for longer than ten times
/// the seconds of the watchdog, this rank ends with a message and code 7. 0 seconds mean no limit.
class StartLimit {
 public:
  explicit StartLimit(Index watchdog);

 private:
  std::jthread waits_;
};

/// Ends all ranks with one message and one exit code if one of them cannot go on. A lost rank makes
/// all others end with code 7. Either a watchdog notices the loss, or the launcher, which asks the
/// others to end. In the second case, the first remaining rank on the same machine reports the
/// missing ranks.
class RankGuard {
 public:
  /// A rank is lost if it sends no sign of life for `seconds`; 0 means never. Collective.
  RankGuard(const Communicator& world, Index seconds);

  /// Calls f on every rank. If f throws on all ranks, this function throws, too, after rank 0 has
  /// printed the error. If f throws on one rank only, that rank ends all ranks with its message and
  /// exit code, because the others may wait for it.
  void run(const std::function<void()>& f);

 private:
  /// A rank on the same machine, whose process this rank can observe.
  struct Neighbour {
    Index rank;
    pid_t process;
  };
  static std::vector<Neighbour> neighbours(const Communicator& world);
  void end_all(const std::string& message, ErrorCode code);
  Ending asked_to_end(int signal);
  Ending ending_now(int signal);
  std::vector<Index> dead_neighbours() const;

  const Communicator& world_;
  std::vector<Neighbour> neighbours_;
  Watchdog watchdog_;
  SignalEnding ending_;
};

/// Throws MemoryError if the address space is limited to less memory than ranks need at their
/// start. MPI would wait forever.
void expect_memory_for_mpi(Index workers);

/// Prints the error that ends the program, unless a RankGuard has already printed it. If all ranks
/// fail, rank 0 prints it; if only one fails, that rank does.
void tell_failure(const CaughtError& failure);

}  // namespace espalier::internal
