// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "base/task_kind.hpp"

namespace espalier {

/// The performance model of a task kind: StarPU's policies see the prediction that the task's Shape
/// carries, so they never run an uncalibrated model. The object lives as long as the program.
starpu_perfmodel* performance_model(TaskKind kind);

}  // namespace espalier
