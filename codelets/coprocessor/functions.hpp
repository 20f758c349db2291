// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/task_kind.hpp"
#include "base/thread_team.hpp"

namespace espalier::internal::coprocessor {

/// Returns the name under which another process finds the function for tasks of this kind; null
/// where coprocessors have none. The process must have the same version of this library.
const char* function_name(TaskKind kind);

/// From now on these threads do the tasks of this process together that are worth it; null: each is
/// done by the thread that StarPU calls. The team outlives the tasks, and StarPU runs one of them
/// at a time. Call it before StarPU starts.
void use_team(ThreadTeam* team);

}  // namespace espalier::internal::coprocessor
