// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

namespace espalier::internal::support {

/// Number of sleeps of the threads of each name, as Linux counts them.
using Sleeps = std::map<std::string, long>;

/// Returns the number of sleeps so far.
inline Sleeps sleeps_of_threads() {
  Sleeps sleeps;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);) {
      const std::string key = "voluntary_ctxt_switches:";
      if (line.starts_with(key)) sleeps[name] += std::stol(line.substr(key.size()));
    }
  }
  return sleeps;
}

/// Returns the number of sleeps while this thread sleeps for 0.3 s. On idle cores, a thread with
/// pauses of 0.2 ms has more than 1000.
inline Sleeps sleeps_meanwhile() {
  Sleeps before = sleeps_of_threads();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  Sleeps after = sleeps_of_threads();
  for (auto& [name, sleeps] : after) sleeps -= before[name];
  return after;
}

/// Lower bound for a thread that pauses on a busy machine. A thread that spins or yields has none.
inline constexpr long few_sleeps = 20;

}  // namespace espalier::internal::support
