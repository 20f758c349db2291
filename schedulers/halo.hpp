// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include "espalier/types.hpp"

namespace espalier {

/// What writes shadows runs on devices, all else on the host; see decide/halo.hpp. Which updates
/// write shadows is planned with the factorization (src/mapping/offload.hpp).
extern starpu_sched_policy halo_policy;

/// Where the memory of devices is limited: what that leaves on each of them beside the shadows that
/// were planned last, for the tiles that updates read. They get more where workers need more at
/// once.
void leave_beside_shadows(Count bytes);

}  // namespace espalier
