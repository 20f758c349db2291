// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "codelets/payload/task_payload.hpp"

namespace espalier::internal {

/// Returns what an accelerator returned for a task that has just ended, under the worker that runs
/// it; empty where a CPU ran it. It lasts until the next call.
AcceleratorResult returned_for(const starpu_task& task, const BoundTask& bound);

}  // namespace espalier::internal
