// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/shape.hpp"

namespace espalier::internal {

/// All that a policy may know of a task: the Shape of a task of Espalier, and what StarPU knows of
/// any task. A program that knows nothing of Espalier leaves most of it unknown; every decision has
/// a rule for that. Of a shape, `kind` is known only where `ours`, indices are -1 where unknown,
/// and seconds negative, those on a device 0.
struct TaskFacts : Shape {
  TaskFacts() : Shape{} {
    seconds = -1;
    path = -1;
  }

  bool ours = false;   ///< a task of Espalier
  double entries = 0;  ///< of the largest piece of data of a foreign task, of eight bytes each
  const void* written = nullptr;  ///< tells the first piece of data written from others
  const void* right = nullptr;    ///< tells the last piece that it names from others
  double device_copy = 0;         ///< predicted for its largest operand to get to a device
  bool device_measured = false;   ///< these go by measurements, not by rules of thumb
  int priority = 0;               ///< larger is more urgent
  int releaser = -1;      ///< the worker whose task released this one, -1 for the submitting thread
  bool parallel = false;  ///< it can run on several CPU workers at once
};

/// Returns the entries of the largest matrix that the dense operation of a task of Espalier reads
/// or writes.
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
