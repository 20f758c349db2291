// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Seconds of one SYRK (C - A Aᵀ, square, with the kernels of tasks) in three ways, each the
/// fastest of some repetitions.
struct SyrkSeconds {
  double alone = 0;  ///< one thread, other threads idle
  /// Each thread has a separate SYRK: their time divided by the number of threads.
  double side_by_side = 0;
  double together = 0;  ///< all threads share one SYRK, with barriers before and after it
};

/// Takes some milliseconds, more for large orders. Memory O(threads n^2).
SyrkSeconds measure_syrk(Index order, Index threads);

}  // namespace espalier::internal
