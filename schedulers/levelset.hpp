// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

/// Level by level of the tree above the subtrees, with a barrier after each: the baseline of
/// level-set schedules.
extern starpu_sched_policy levelset_policy;

}  // namespace espalier
