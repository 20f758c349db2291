// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/cuda/device_context.hpp"

namespace espalier::internal::cuda {

/// Has the same effect on the data, which is on the device, as the task on a CPU, but for the
/// entries of A, which are there already, and for what is above the diagonal of L: starts what is
/// to be done on the stream, and returns. D puts the diagonal of L behind the seconds in the
/// result, with NaN where the pivot failed.
void run(const TaskPayload& payload, TaskData data, DeviceContext& context);

}  // namespace espalier::internal::cuda
