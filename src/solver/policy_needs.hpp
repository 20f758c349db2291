// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Returns the properties of the task graph that the active policy and its options need. Throws
/// UsageError if the policy fuses updates but the workers do not share one memory.
PolicyNeeds policy_needs(const StarpuInstance& starpu);

/// Returns whether StarPU must know the data of tasks in a single process: if workers have separate
/// memories, or if the policy looks ahead.
bool needs_handles(const StarpuInstance& starpu);

/// Returns the grid of workers of this rank if its policy needs batches, else a grid without cells.
BlockGrid batch_owners(const StarpuInstance& starpu);

/// Throws UsageError if the options of the policy work only in a single process.
void expect_fit_for_ranks(const StarpuInstance& starpu);

}  // namespace espalier::internal
