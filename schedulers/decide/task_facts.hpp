// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/shape.hpp"

namespace espalier::internal {

/// All that a policy may know about a task: the Shape of a task of Espalier, and the facts that
/// StarPU has about any task. For other programs most of it is unknown; every decision has a rule
/// for that case. `kind` is valid only if `ours`. Unknown indices are -1. Unknown times are
/// negative, or 0 on a device.
struct TaskFacts : Shape {
  TaskFacts() : Shape{} {
    seconds = -1;
    path = -1;
  }

  bool ours = false;  ///< the task belongs to Espalier
  /// Size of the largest piece of data of another program's task, in units of 8 bytes.
  double entries = 0;
  const void* written = nullptr;  ///< identifies the first piece of data that the task writes
  const void* right = nullptr;    ///< identifies the last piece of data that the task names
  double device_copy = 0;         ///< predicted seconds to copy its largest operand to a device
  bool device_measured = false;   ///< the times on a device are measured, not built-in estimates
  int priority = 0;               ///< larger is more urgent
  int releaser = -1;      ///< the worker whose task released this one, -1 for the submitting thread
  bool parallel = false;  ///< several CPU workers can run the task together
};

/// Returns the number of entries of the largest matrix that the dense operation of one of
/// Espalier's tasks reads or writes.
inline double largest_operand(const TaskFacts& task) {
  const double m = task.m;
  const double n = task.n;
  const double k = task.k;
  switch (task.kind) {
    case TaskKind::diagonal: return n * n;
    case TaskKind::update:
    case TaskKind::assemble: return std::max({m * n, m * k, n * k});
    case TaskKind::forward:
    case TaskKind::backward: return m * k;
    default: return m * n;
  }
}

}  // namespace espalier::internal
