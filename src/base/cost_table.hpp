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
  /// By order, inner dimension; the update of a lower triangle in memory that another task wrote.
  CostGrid syrk;
  /// By rows, columns, inner dimension; the update of a rectangle. Inner dimension 1 is SCATTER:
  /// all but nothing of it is the way to the target and back.
  CostGrid gemm;
  /// The same where the update before had the same target: most of it is in a cache then.
  CostGrid syrk_again;
  CostGrid gemm_again;
  double fill = 0;  ///< seconds for an entry of L that is initialised
  double take = 0;  ///< seconds for an entry of A on its way to L, where neighbours come in a row
  double line = 0;  ///< more seconds for one from another cache line of A than those before
  double read = 0;  ///< seconds for an entry of L that a solve streams from memory
  double task = 0;  ///< seconds that the runtime system takes for a task
  TaskHistory history;

  bool sound() const {
    return potrf.sound() && trsm.sound() && syrk.sound() && gemm.sound() && syrk_again.sound() &&
           gemm_again.sound() && fill > 0 && read > 0 && take > 0 && line > 0 && task > 0;
  }
};

}  // namespace espalier
