// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier {

/// Right-hand sides that one pass over L serves.
inline constexpr Index most_columns = 64;

/// Calls f(first, columns) for blocks of right-hand sides that one pass over L serves.
template <class F>
void for_each_block(Index count, F f) {
  for (Index done = 0; done < count; done += most_columns) {
    f(done, count - done < most_columns ? count - done : most_columns);
  }
}

/// Steps of iterative refinement while each halves the backward error, `most` of them at most.
/// improve() computes a better x from the last residual and returns its error; keep() takes it.
/// Returns how many were kept, and leaves their error in `error`.
template <class Improve, class Keep>
Index refine(double& error, Index most, Improve improve, Keep keep) {
  constexpr double good_enough = 1e-14;
  Index steps = 0;
  while (steps < most && !(error <= good_enough)) {
    const double better = improve();
    if (!(better < 0.5 * error)) break;
    keep();
    error = better;
    ++steps;
  }
  return steps;
}

}  // namespace espalier
