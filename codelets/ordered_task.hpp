// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/task_list.hpp"

namespace espalier::internal {

/// The data of a task that StarPU does not know. The argument of the task's callback begins with
/// it.
struct OrderedTask {
  TaskData data;
};

}  // namespace espalier::internal
