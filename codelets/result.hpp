// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/task_list.hpp"

namespace espalier {

/// What an accelerator returns for a task: the seconds it took; of D also the diagonal of L, with
/// something that is no pivot where one failed.
using AcceleratorResult = std::span<const double>;

/// Enters the result of a task that an accelerator, the worker of this number, has just ended into
/// the task's record and the worker's tally, and judges the pivots as D does on a CPU. Before any
/// task that waits for it starts.
void take_result(const BoundTask& task, Index worker, AcceleratorResult result);

}  // namespace espalier
