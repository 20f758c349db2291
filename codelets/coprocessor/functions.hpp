// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/task_kind.hpp"

namespace espalier::internal::coprocessor {

/// Returns the name under which another process finds the function for tasks of this kind; null
/// where coprocessors have none. The process must have the same version of this library.
const char* function_name(TaskKind kind);

}  // namespace espalier::internal::coprocessor
