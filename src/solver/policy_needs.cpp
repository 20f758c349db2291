// SPDX-License-Identifier: BSD-3-Clause
#include "solver/policy_needs.hpp"

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

PolicyNeeds needs_by_settings(const StarpuInstance& starpu) {
  const PolicyTraits traits = starpu.policy_traits();
  return traits.needs != nullptr ? traits.needs(starpu.policy_settings()) : PolicyNeeds{};
}

}  // namespace

PolicyNeeds policy_needs(const StarpuInstance& starpu) {
  const PolicyNeeds needs = needs_by_settings(starpu);
  const bool share_memory = starpu.devices().workers == 0 && starpu.host_memories() == 1;
  if (needs.fused_entries == 0 || share_memory) return needs;
  throw UsageError(
      "the option fuse of the scheduler " + starpu.requested_scheduler() +
      " needs CPU workers that share one memory; set fuse=0 if devices are used, or set "
      "STARPU_USE_NUMA=0");
}

void expect_fit_for_ranks(const StarpuInstance& starpu) {
  if (needs_by_settings(starpu).fused_entries == 0) return;
  throw UsageError("the option fuse of the scheduler " + starpu.requested_scheduler() +
                   " works only in a single process; set fuse=0 with several ranks");
}

}  // namespace espalier::internal
