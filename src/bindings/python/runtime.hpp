// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"
#include "espalier/options.hpp"

namespace espalier::internal {

/// A RuntimeUse is one factor's part in the StarPU that all factors of a Python process share.
/// After the last of them that StarPU stays, paused, for the next one: starting it takes longer
/// than many a factorization. It is started anew only where the next factor asks for another one.
class RuntimeUse {
 public:
  /// Starts StarPU, or joins in: while another factor lives, this one uses the workers that run,
  /// whatever number the options ask for. Throws as Runtime::shared() does, and RuntimeFailure in a
  /// process that was forked after StarPU started.
  explicit RuntimeUse(const RuntimeOptions& options);
  ~RuntimeUse();
  RuntimeUse(const RuntimeUse&) = delete;
  RuntimeUse& operator=(const RuntimeUse&) = delete;

  /// Returns the shared StarPU; it lives as long as this object.
  const Runtime& runtime() const { return runtime_; }

 private:
  Runtime runtime_;
};

/// Returns whether this process was forked from one in which StarPU ran. It has none of its
/// threads, so that whatever waits for one of them would wait forever.
bool forked_from_runtime();

/// Throws RuntimeFailure where forked_from_runtime().
void expect_own_runtime();

/// Shuts the StarPU down that stays for the next factor, as soon as no factor uses it.
void shut_down_runtime();

}  // namespace espalier::internal
