// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Threads that run several short pieces of work together, one after the other, and sleep between
/// them. parallel_for() would start new threads for each piece.
class ThreadTeam {
 public:
  /// Starts size - 1 threads. The thread that calls run() is the first member. Throws
  /// RuntimeFailure if the system cannot start the threads.
  explicit ThreadTeam(Index size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  Index size() const { return static_cast<Index>(threads_.size()) + 1; }
  /// Calls work(member) for all members in [0, size()) concurrently, and returns when all have
  /// returned. Only one thread at a time may call run(), and the work must not throw. With two
  /// members, an empty piece of work takes some 7 microseconds, most of them to wake the second
  /// member.
  void run(const std::function<void(Index)>& work);
  /// Waits inside a piece of work until all members have called it.
  void wait_for_all() { together_.arrive_and_wait(); }

 private:
  void serve(Index member);
  void end();
  void end_those_started(Index expected);

  std::barrier<> together_;  ///< barrier before and after each piece of work
  const std::function<void(Index)>* work_ = nullptr;  ///< null: the threads must end
  std::vector<std::jthread> threads_;
};

}  // namespace espalier::internal
