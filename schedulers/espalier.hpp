// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

/// The default: the longest predicted path to the end first, and what is in the cache while that
/// path can wait.
extern starpu_sched_policy espalier_policy;

}  // namespace espalier
