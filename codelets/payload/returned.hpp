// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "codelets/payload/task_payload.hpp"

namespace espalier::internal {

/// Returns the result of an accelerator for a task that has just ended on the calling worker.
/// Returns an empty result if a CPU ran the task. The result is valid until the next call.
AcceleratorResult returned_for(const starpu_task& task, const BoundTask& bound);

}  // namespace espalier::internal
