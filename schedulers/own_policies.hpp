// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/traits.hpp"

namespace espalier::internal {

/// One of Espalier's policies, as StarPU sees it and as the planner does.
struct OwnPolicy {
  starpu_sched_policy starpu;
  PolicyTraits traits;
};

// StarPU's interface takes policies that may change, but it only reads them.

/// The default: the longest predicted path to the end first, and what is in the cache while that
/// path can wait.
extern const OwnPolicy espalier_policy;

/// Every task runs on the worker that owns the block it writes; see decide/fanout.hpp.
extern const OwnPolicy fanout_policy;

/// What writes shadows runs on devices, all else on the host; see decide/halo.hpp. Which updates
/// write shadows is planned with the factorization (src/mapping/offload.hpp).
extern const OwnPolicy halo_policy;

/// swCholesky's kernel task queues; see decide/ktq.hpp.
extern const OwnPolicy ktq_policy;

/// Level by level of the tree above the subtrees, with a barrier after each: the baseline of
/// level-set schedules.
extern const OwnPolicy levelset_policy;

/// Load-balanced level coarsening (Cheshmi, Kamil, Strout and Mehri Dehnavi, ParSy, SC 2018):
/// l-partitions, which are neighbouring levels of the tree, with a barrier after each; inside,
/// every w-partition on one worker.
extern const OwnPolicy hlevelset_policy;

/// Returns whether StarPU will have, or has, workers beside CPUs: coprocessors.
bool devices_expected();

/// Returns Espalier's policies, in the order in which they are listed; a null pointer follows the
/// last one, as readers of StarPU's plugin interface expect. They live as long as the program.
/// Those that need devices are among them if devices are expected.
std::span<const starpu_sched_policy* const> own_policies();

/// Returns their names in the same order.
std::vector<std::string> own_policy_names();

/// Returns the names of the policies that need devices, listed or not.
std::vector<std::string> names_beside_devices();

/// Returns all policies of Espalier, also those that need devices.
std::span<const OwnPolicy* const> all_own_policies();

/// Returns the policy of that name, listed or not, or null.
const OwnPolicy* own_policy(std::string_view name);

}  // namespace espalier::internal
