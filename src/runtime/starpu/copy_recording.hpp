// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/schedule.hpp"

namespace espalier::internal {

/// Records all copies that StarPU makes between memories of this process. This needs the patch
/// tools/starpu/starpu-copy-observer.patch; without it the record stays empty.
class CopyRecording {
 public:
  CopyRecording() = default;
  ~CopyRecording() { stop(); }
  CopyRecording(const CopyRecording&) = delete;
  CopyRecording& operator=(const CopyRecording&) = delete;

  /// Clears the record and starts to record copies. A copy is recorded when it ends.
  void start();
  void stop();
  /// Returns the recorded copies in the order in which they ended, with times of steady_seconds().
  std::vector<CopyRun> copies() const;

 private:
  static void note(unsigned from, unsigned to, std::size_t bytes, double begin,
                   double end) noexcept;

  std::vector<CopyRun> copies_;
};

}  // namespace espalier::internal
