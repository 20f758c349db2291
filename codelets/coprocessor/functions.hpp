// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/task_kind.hpp"
#include "base/thread_team.hpp"

namespace espalier::internal::coprocessor {

/// Returns the name of the function that another process runs for tasks of this kind, or null if
/// coprocessors have none. That process must use the same version of this library.
const char* function_name(TaskKind kind);

/// Sets the threads that run large tasks of this process together; null: the thread that StarPU
/// calls runs each task. The team must outlive the tasks, and StarPU must run one task at a time.
/// Must be called before StarPU starts.
void use_team(ThreadTeam* team);

}  // namespace espalier::internal::coprocessor
