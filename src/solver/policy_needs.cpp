// SPDX-License-Identifier: BSD-3-Clause
#include "solver/policy_needs.hpp"

#include <algorithm>

#include "espalier/error.hpp"
#include "schedulers/worker_groups.hpp"

namespace espalier::internal {

namespace {

/// Returns the options of `ktq`, null where another policy was asked for.
const PolicySettings* ktq_settings(const StarpuInstance& starpu) {
  return starpu.requested_scheduler() == "ktq" ? &starpu.policy_settings() : nullptr;
}

bool fuses(const StarpuInstance& starpu) {
  const PolicySettings* const ktq = ktq_settings(starpu);
  return ktq != nullptr && ktq->text("fuse") == "1";
}

/// Returns what the user of a policy with w-partitions asks for; no other one looks at it.
LevelOptions level_options(const StarpuInstance& starpu) {
  const PolicySettings* const ktq = ktq_settings(starpu);
  const bool in_groups = ktq != nullptr && ktq->text("partitions") == "hlevelset";
  if (!in_groups && starpu.requested_scheduler() != "hlevelset") return {};
  const PolicySettings& settings = starpu.policy_settings();
  return {static_cast<Index>(settings.number("levels")),
          static_cast<Index>(settings.number("parts")),
          in_groups ? count_worker_groups(settings) : 0};
}

}  // namespace

PolicyNeeds policy_needs(const StarpuInstance& starpu) {
  PolicyNeeds needs{level_options(starpu)};
  if (!fuses(starpu)) return needs;
  if (starpu.devices().workers > 0 || starpu.host_memories() > 1) {
    throw UsageError(
        "the option fuse of the scheduler ktq is for CPU workers that share one memory; leave it "
        "out where there are devices, or set STARPU_USE_NUMA=0");
  }
  const double side = starpu.policy_settings().number("dpq_size");
  constexpr double unlimited = 9e18;
  needs.fused_entries = static_cast<Count>(std::clamp(side * side, 1.0, unlimited));
  return needs;
}

void expect_fit_for_ranks(const StarpuInstance& starpu) {
  if (!fuses(starpu)) return;
  throw UsageError(
      "the option fuse of the scheduler ktq is for one process; leave it out of ranks");
}

}  // namespace espalier::internal
