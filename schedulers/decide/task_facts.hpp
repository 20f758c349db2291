// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/task_kind.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

struct DeviceBudget;

/// All that a policy may know of a task. A program that knows nothing of Espalier leaves most of it
/// unknown; every decision has a rule for that.
struct TaskFacts {
  bool ours = false;       ///< a task of Espalier: `kind` and the sizes are known
  TaskKind kind{};         ///< only where `ours`
  Index m = 0;             ///< rows written
  Index n = 0;             ///< columns written
  Index k = 0;             ///< inner dimension
  Index square = 0;        ///< columns of its SYRK or of a solve's TRSM; the rest is GEMM
  Index row = -1;          ///< block row of what is written, -1 where unknown
  Index column = -1;       ///< its block column, -1 where unknown
  Index own_row = -1;      ///< row among those of its rank, -1 where it is the row
  Index own_column = -1;   ///< column among those of its rank, -1 where it is the column
  Index level = -1;        ///< height of the task's source above the subtrees, -1 where unknown
  Index l_partition = -1;  ///< the l-partition that its level is in, -1 where unknown
  Index w_partition = -1;  ///< its part of the l-partition, -1 where unknown
  Index device = -1;  ///< the one with the shadow that the task writes, -1 where it writes none
  DeviceBudget* device_budget = nullptr;  ///< only where `ours`: that of the task's factor
  double entries = 0;  ///< of the largest piece of data of a foreign task, of eight bytes each
  const void* written = nullptr;  ///< tells the first piece of data written from others
  const void* right = nullptr;    ///< tells the last piece that it names from others
  double seconds = -1;            ///< predicted on one CPU core, negative where unknown
  double device_seconds = 0;      ///< predicted on a device, 0 where unknown
  double device_copy = 0;         ///< predicted for its largest operand to get there
  bool device_measured = false;   ///< these go by measurements, not by rules of thumb
  double path = -1;               ///< likewise from its start to the end of the graph
  double flops = 0;               ///< 0 where unknown
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
