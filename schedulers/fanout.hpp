// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

/// Every task runs on the worker that owns the block it writes; see decide/fanout.hpp.
extern starpu_sched_policy fanout_policy;

/// Throws MemoryError where a task did not fit into a device since the last call, and that counts
/// as a failure (the option on_device_full); a CPU ran it.
void expect_room_on_devices();

}  // namespace espalier
