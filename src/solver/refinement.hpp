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

/// Right-hand sides that one pass over L serves.
inline constexpr Index most_columns = 64;

/// Calls f(first, columns) for blocks of at most `most` right-hand sides.
template <class F>
void for_each_block(Index count, F f, Index most = most_columns) {
  for (Index done = 0; done < count; done += most) f(done, std::min(most, count - done));
}

/// Returns how many right-hand sides are solved for at once: `most`, halved until fits(columns).
template <class Fits>
Index columns_that_fit(Index most, Fits fits) {
  Index columns = most;
  while (columns > 1 && !fits(columns)) columns = (columns + 1) / 2;
  return columns;
}

/// What is known of a solution.
struct Refined {
  double backward_error = 0;
  Index steps = 0;     ///< how many steps of iterative refinement improved x
  double seconds = 0;  ///< all but those of the first residual, which tells only how good x is
  double residual_seconds = 0;  ///< those of the first residual

  /// Adds what is known of another block of right-hand sides: times add up, the error and the steps
  /// are those of the worst.
  void add(const Refined& block) {
    backward_error = max_or_nan(block.backward_error, backward_error);
    steps = std::max(steps, block.steps);
    seconds += block.seconds;
    residual_seconds += block.residual_seconds;
  }
};

/// Where a solve has its vectors: x gets the solution, and r is memory for as much.
struct RefinedVectors {
  std::span<const double> b;
  std::span<double> x;
  std::span<double> r;
};

/// Solves A x = b and refines x while each step halves the backward error, in `most` steps at most.
/// solve(b, x) sets x, which may be b, to (L Lᵀ)⁻¹ b; residual(x, r) sets r to b - A x and returns
/// the backward error of x; error(x) returns it without. `records`: see FactorOptions::record_work.
/// A step has what corrects x, and then the x after it, in r, and takes no more memory.
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
