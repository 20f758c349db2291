// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"
#include "espalier/options.hpp"

namespace espalier::internal {

/// One factor's share in the StarPU that all factors of a Python process use. When the last factor
/// ends, StarPU stays paused for the next one, because starting it may take longer than a
/// factorization. It is restarted only if the next factor has other options.
class RuntimeUse {
 public:
  /// Starts StarPU or joins the running one. While another factor exists, this one uses the workers
  /// that are running, whatever number the options have. Throws as Runtime::shared() does. Throws
  /// RuntimeFailure in a process that was forked after StarPU started.
  explicit RuntimeUse(const RuntimeOptions& options);
  ~RuntimeUse();
  RuntimeUse(const RuntimeUse&) = delete;
  RuntimeUse& operator=(const RuntimeUse&) = delete;

  /// Returns the shared StarPU; it lives as long as this object.
  const Runtime& runtime() const { return runtime_; }

 private:
  Runtime runtime_;
};

/// Returns whether this process was forked after StarPU started. A forked process does not have
/// StarPU's threads, so a call that waits for one of these threads would never return.
bool forked_from_runtime();

/// Throws RuntimeFailure if forked_from_runtime() is true.
void expect_own_runtime();

/// Shuts down the StarPU that stays for the next factor, as soon as no factor uses it.
void shut_down_runtime();

}  // namespace espalier::internal
