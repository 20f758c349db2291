// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

/// What writes shadows runs on devices, all else on the host; see decide/halo.hpp. Which updates
/// write shadows is planned with the factorization (src/mapping/offload.hpp).
extern starpu_sched_policy halo_policy;

}  // namespace espalier
