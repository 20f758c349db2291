// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

/// The default: the task with the longest predicted path to the end of the graph first.
extern starpu_sched_policy espalier_policy;

}  // namespace espalier
