// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Threads that are kept, asleep, to do one short piece of work after another together:
/// parallel_for() would start threads for each.
class ThreadTeam {
 public:
  /// Starts size - 1 threads: the first member is whoever calls run(). Throws RuntimeFailure where
  /// the system has no room for them.
  explicit ThreadTeam(Index size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  Index size() const { return static_cast<Index>(threads_.size()) + 1; }
  /// Calls work(member) for all members in [0, size()) at once, and returns when all have returned.
  /// One thread at a time may call it; the work may not throw. An empty piece of work takes two
  /// members some 7 microseconds, most of it to wake the other one.
  void run(const std::function<void(Index)>& work);
  /// Returns when all members, inside of one piece of work, have called it.
  void wait_for_all() { together_.arrive_and_wait(); }

 private:
  void serve(Index member);
  void end();
  void end_those_started(Index expected);

  std::barrier<> together_;                           ///< before a piece of work, and after it
  const std::function<void(Index)>* work_ = nullptr;  ///< null: the threads are to end
  std::vector<std::jthread> threads_;
};

}  // namespace espalier::internal
