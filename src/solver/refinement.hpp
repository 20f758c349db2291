// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/clock.hpp"
#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"
#include "perfmodels/phase_watch.hpp"

namespace espalier::internal {

/// Maximum number of right-hand sides per pass over L.
inline constexpr Index most_columns = 64;

/// Calls f(first, columns) for each block of at most `most` right-hand sides.
template <class F>
void for_each_block(Index count, F f, Index most = most_columns) {
  for (Index done = 0; done < count; done += most) f(done, std::min(most, count - done));
}

/// Returns the number of right-hand sides per block: `most`, halved until fits(columns) is true or
/// one is left.
template <class Fits>
Index columns_that_fit(Index most, Fits fits) {
  Index columns = most;
  while (columns > 1 && !fits(columns)) columns = (columns + 1) / 2;
  return columns;
}

/// Quality of a solution and time of its solve.
struct Refined {
  double backward_error = 0;
  Index steps = 0;  ///< number of refinement steps that improved x
  /// Time of the solve and of the refinement. The first residual does not count, because it only
  /// measures the quality of x.
  double seconds = 0;
  double residual_seconds = 0;  ///< time of the first residual

  /// Adds the data of another block of right-hand sides. Times are added; error and steps each
  /// become the maximum of both.
  void add(const Refined& block) {
    backward_error = max_or_nan(block.backward_error, backward_error);
    steps = std::max(steps, block.steps);
    seconds += block.seconds;
    residual_seconds += block.residual_seconds;
  }
};

/// Vectors of a solve: right-hand sides b, memory for the solutions x, and memory of the same size
/// for residuals r.
struct RefinedVectors {
  std::span<const double> b;
  std::span<double> x;
  std::span<double> r;
};

/// Solves A x = b. Then refines x in at most `most` steps, as long as each step more than halves
/// the backward error and the error is above 1e-14.
///
/// - solve(b, x) sets x, which may be b, to (L Lᵀ)⁻¹ b.
/// - residual(x, r) sets r to b - A x and returns the backward error of x.
/// - error(x) returns the backward error of x.
/// - `records` has the meaning of FactorOptions::record_work.
///
/// A step stores the correction of x, and then the new x, in r. So it needs no other memory.
template <class Solve, class Residual, class Error>
Refined solve_refined(const RefinedVectors& vectors, Index most, bool records, Solve solve,
                      Residual residual, Error error) {
  constexpr double good_enough = 1e-14;
  const auto& [b, x, r] = vectors;
  Refined result;
  Stopwatch watch;
  solve(b, x);
  result.seconds = watch.seconds();
  {
    PhaseWatch checking(records, 1);
    result.backward_error = residual(x, r);
    result.residual_seconds = checking.end_phase().seconds;
  }
  watch.restart();
  while (result.steps < most && !(result.backward_error <= good_enough)) {
    if (result.steps > 0) residual(x, r);
    solve(r, r);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] += x[i];
    const double refined = error(r);
    if (!(refined < 0.5 * result.backward_error)) break;
    std::ranges::copy(r, x.begin());
    result.backward_error = refined;
    ++result.steps;
  }
  result.seconds += watch.seconds();
  return result;
}

}  // namespace espalier::internal
