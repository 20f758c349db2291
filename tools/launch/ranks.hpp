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

/// Returns how many processes mpirun or a batch system started together with this one, and itself,
/// by the environment; 1 without such a launcher.
Index launched_ranks();
/// Returns the number of this process among them, from 0.
Index launched_rank();

/// Throws UsageError if a launcher started several processes, of which MPI sees this one alone: the
/// launcher belongs to another MPI, or does not speak to this one, and each process would solve the
/// whole system. Call it before ranks exchange messages.
void expect_launcher_of(const Communicator& world);

/// Throws UsageError, on all ranks, where several of them are on one machine that `what` needs to
/// itself. Collective.
void expect_own_machines(const Communicator& world, const std::string& what);

/// Ends this rank, with a message and code 7, where it lives longer than ten times as many seconds
/// as the watchdog allows; 0: never. It guards the start of MPI, which waits for ever for a rank
/// that is stopped, and before which ranks cannot send signs of life.
class StartLimit {
 public:
  explicit StartLimit(Index watchdog);

 private:
  std::jthread waits_;
};

/// Ends all ranks where one cannot go on, with one message and one exit code. A rank that is lost
/// is a failure with code 7 on all others: a watchdog notices it, or the launcher, which asks the
/// others to end; then the first of them on the same machine says who is missing.
class RankGuard {
 public:
  /// Is collective. `seconds` without a sign of life make a rank lost; 0 means that none ever is.
  RankGuard(const Communicator& world, Index seconds);

  /// Calls f on every rank. Where it throws on all, so does this; a rank that is alone with an
  /// error ends all of them with its message and exit code, for the others may wait for it. Rank 0
  /// prints what all throw before any of them leaves.
  void run(const std::function<void()>& f);

 private:
  /// A rank whose process this one sees.
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

/// Throws MemoryError where the address space is limited to less than the ranks need to begin with:
/// MPI would wait for ever.
void expect_room_for_mpi(Index workers);

/// Prints the error that ends the program, unless a RankGuard has. Among several ranks rank 0
/// does so, or the one that is alone with it.
void tell_failure(const CaughtError& failure);

}  // namespace espalier::internal
