// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/task_kind.hpp"
#include "espalier/types.hpp"

namespace espalier {

/// What models and schedulers may know of a task: what the argument of every codelet begins with.
struct Shape {
  TaskKind kind;
  Index m = 0;  ///< rows written
  Index n = 0;  ///< columns written
  Index k = 0;  ///< inner dimension
  double flops = 0;
  double seconds = 0;  ///< predicted on one CPU core
};

}  // namespace espalier
