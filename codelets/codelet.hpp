// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "codelets/task_list.hpp"

namespace espalier {

/// StarPU's codelet for a task kind. Its tasks carry a BoundTask as argument and any number of
/// matrix handles. The object lives as long as the program.
starpu_codelet* codelet(TaskKind kind);

/// The same for a kind that accelerators have code for, too. Its tasks carry an Envelope with its
/// message.
starpu_codelet* accelerated_codelet(TaskKind kind);

}  // namespace espalier
