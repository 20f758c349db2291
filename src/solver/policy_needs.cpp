// SPDX-License-Identifier: BSD-3-Clause
#include "solver/policy_needs.hpp"

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Returns whether all workers are CPU workers with one memory.
bool share_memory(const StarpuInstance& starpu) {
  return starpu.devices().workers == 0 && starpu.host_memories() == 1;
}

/// Returns the needs by the settings of the policy. Without a common memory of all workers, no
/// tasks are batched, because a worker finds the blocks of a batch in that memory.
PolicyNeeds needs_by_settings(const StarpuInstance& starpu) {
  const PolicyTraits traits = starpu.policy_traits();
  PolicyNeeds needs =
      traits.needs != nullptr ? traits.needs(starpu.policy_settings()) : PolicyNeeds{};
  if (!share_memory(starpu)) needs.owners = {0, 0};
  needs.handles = needs_handles(starpu);
  return needs;
}

}  // namespace

bool needs_handles(const StarpuInstance& starpu) {
  return !share_memory(starpu) || starpu.policy_traits().looks_ahead;
}

PolicyNeeds policy_needs(const StarpuInstance& starpu) {
  const PolicyNeeds needs = needs_by_settings(starpu);
  if (needs.fused_entries == 0 || share_memory(starpu)) return needs;
  throw UsageError(
      "the option fuse of the scheduler " + starpu.requested_scheduler() +
      " needs CPU workers that share one memory; set fuse=0 if devices are used, or set "
      "STARPU_USE_NUMA=0");
}

BlockGrid batch_owners(const StarpuInstance& starpu) { return needs_by_settings(starpu).owners; }

void expect_fit_for_ranks(const StarpuInstance& starpu) {
  if (needs_by_settings(starpu).fused_entries == 0) return;
  throw UsageError("the option fuse of the scheduler " + starpu.requested_scheduler() +
                   " works only in a single process; set fuse=0 with several ranks");
}

}  // namespace espalier::internal
