// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/task_kind.hpp"

namespace espalier::internal {

/// Returns whether several workers can run a task of this kind together, each its rows.
bool has_slices(TaskKind kind);

/// The function of all codelets for CPUs: StarPU calls it with the data of a task and with a
/// BoundTask as argument. No exception leaves it, which would pass through StarPU and leave its
/// locks taken: it ends the program.
void run_on_cpu(void* buffers[], void* argument) noexcept;

}  // namespace espalier::internal
