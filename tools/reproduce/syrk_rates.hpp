// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Seconds for one SYRK (C - A Aᵀ, square, by the kernels of tasks) in three ways, the fastest of
/// some repetitions each.
struct SyrkSeconds {
  double alone = 0;         ///< one thread, and nothing beside it
  double side_by_side = 0;  ///< each thread has one of its own: their time over the threads
  double together = 0;      ///< all threads share one, with barriers before and after
};

/// Takes some milliseconds, more for large orders. Memory O(threads n^2).
SyrkSeconds measure_syrk(Index order, Index threads);

}  // namespace espalier::internal
