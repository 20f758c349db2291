// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Time in seconds for which a thread holds the lock of a policy to enter a task, and again to take
/// one. The overhead per task contains both (experiment `lock-held` in docs/experiments.md).
inline constexpr double decision_seconds = 0.3e-6;

}  // namespace espalier::internal
