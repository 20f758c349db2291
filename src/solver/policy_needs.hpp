// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Returns what the active policy was asked for by its options and needs of the graph. Throws
/// UsageError where updates are to be fused that share no memory.
PolicyNeeds policy_needs(const StarpuInstance& starpu);

/// Throws UsageError where the policy was asked for what only a process alone can have.
void expect_fit_for_ranks(const StarpuInstance& starpu);

}  // namespace espalier::internal
