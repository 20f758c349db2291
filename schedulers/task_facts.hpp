// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "schedulers/decide/task_facts.hpp"

namespace espalier {

/// What is known of a task of any program: its Shape where Espalier made it; else the coordinates
/// of the first handle that it writes, the length that its performance model expects on a CPU core,
/// and its flops. To be called while it is pushed.
TaskFacts facts_of(starpu_task* task);

}  // namespace espalier
