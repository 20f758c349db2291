// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

/// Every task runs on the worker that owns the block it writes; see decide/fanout.hpp.
extern starpu_sched_policy fanout_policy;

}  // namespace espalier
