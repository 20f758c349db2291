// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

/// swCholesky's kernel task queues; see decide/ktq.hpp.
extern starpu_sched_policy ktq_policy;

}  // namespace espalier
