// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/schedule.hpp"

namespace espalier::internal {

/// Notes which copies StarPU makes between memories of this process, of whatever data. StarPU tells
/// with tools/starpu/starpu-copy-observer.patch; without it there are none.
class CopyRecording {
 public:
  CopyRecording() = default;
  ~CopyRecording() { stop(); }
  CopyRecording(const CopyRecording&) = delete;
  CopyRecording& operator=(const CopyRecording&) = delete;

  /// Forgets what is noted, and notes the copies that end from now on.
  void start();
  void stop();
  /// Returns what was noted, in the order in which the copies ended, with times of
  /// steady_seconds().
  std::vector<CopyRun> copies() const;

 private:
  static void note(unsigned from, unsigned to, std::size_t bytes, double begin,
                   double end) noexcept;

  std::vector<CopyRun> copies_;
};

}  // namespace espalier::internal
