// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/traits.hpp"

namespace espalier::internal {

/// One of Espalier's policies: its functions for StarPU and its traits for the planner.
struct OwnPolicy {
  starpu_sched_policy starpu;
  PolicyTraits traits;
};

// The policies below are const. StarPU's interface takes pointers to policies that are not const,
// but StarPU only reads them.

/// The default policy: the task with the longest predicted path goes first. While that path can
/// wait, tasks whose data are in the cache go first.
extern const OwnPolicy espalier_policy;

/// Runs every task on the worker that owns the block it writes; see decide/fanout.hpp.
extern const OwnPolicy fanout_policy;

/// Runs tasks that write shadows on devices and all other tasks on the host; see decide/halo.hpp.
/// The plan decides which updates write shadows (src/mapping/offload.hpp).
extern const OwnPolicy halo_policy;

/// Kernel task queues of swCholesky; see decide/ktq.hpp.
extern const OwnPolicy ktq_policy;

/// Runs the tree level by level above the subtrees, with a barrier after each level. It is the
/// baseline of level-set schedules.
extern const OwnPolicy levelset_policy;

/// Load-balanced level coarsening (Cheshmi, Kamil, Strout and Mehri Dehnavi, ParSy, SC 2018). An
/// l-partition consists of neighbouring levels of the tree and ends with a barrier. Inside it,
/// every w-partition runs on one worker.
extern const OwnPolicy hlevelset_policy;

/// Returns whether StarPU has, or will have, coprocessors.
bool devices_expected();

/// Returns Espalier's policies in the order in which they are listed. Policies that need devices
/// are included only if devices are expected. A null pointer follows the last policy, as StarPU's
/// plugin interface requires. The policies live as long as the program.
std::span<const starpu_sched_policy* const> own_policies();

/// Returns the names of own_policies() in the same order.
std::vector<std::string> own_policy_names();

/// Returns the names of the policies that need devices, even if own_policies() leaves them out.
std::vector<std::string> policies_that_need_devices();

/// Returns all policies of Espalier, including the policies that need devices.
std::span<const OwnPolicy* const> all_own_policies();

/// Returns the policy of that name, even if own_policies() leaves it out, or null.
const OwnPolicy* own_policy(std::string_view name);

}  // namespace espalier::internal
