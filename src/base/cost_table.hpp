// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_grid.hpp"
#include "base/task_history.hpp"

namespace espalier {

/// What was measured on one machine, with all its CPU workers busy: the one source of every
/// predicted time.
struct CostTable {
  CostGrid potrf;  ///< by order
  CostGrid trsm;   ///< by rows, order
  CostGrid syrk;   ///< by order, inner dimension; the update of a lower triangle
  /// By rows, columns, inner dimension; the update of a rectangle. Inner dimension 1 is SCATTER:
  /// all but nothing of it is the way to the target and back.
  CostGrid gemm;
  double fill = 0;  ///< seconds for an entry of L that is initialised
  double read = 0;  ///< seconds for an entry of L that a solve streams from memory
  double task = 0;  ///< seconds that the runtime system takes for a task
  TaskHistory history;

  bool sound() const {
    return potrf.sound() && trsm.sound() && syrk.sound() && gemm.sound() && fill > 0 && read > 0 &&
           task > 0;
  }
};

}  // namespace espalier
