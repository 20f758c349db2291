// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/cuda/device_context.hpp"

namespace espalier::internal::cuda {

/// Starts a task on the stream and returns. The effect on its data, which are on the device, is the
/// same as on a CPU, except above the diagonal of L. The entries of A must already be in the data.
/// D also writes the diagonal of L to context.result(), after the seconds. An entry is NaN if its
/// pivot check failed.
void run(const TaskPayload& payload, TaskData data, DeviceContext& context);

}  // namespace espalier::internal::cuda
