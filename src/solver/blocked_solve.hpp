// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>

#include "solver/factor_state.hpp"
#include "solver/linear_system.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

/// Right-hand sides that are solved for, and what their vectors take in this process.
struct SolveRequest {
  Index count;
  /// Returns the bytes of vectors for blocks of so many right-hand sides, beside those for one, of
  /// which the prediction of the peak knows.
  std::function<Count(Index columns)> vector_bytes;
  SolvePart part = SolvePart::both;
};

/// Returns how many right-hand sides are solved for at once: up to most_columns, as many as fit
/// into the memory of each process, after tasks of earlier solves gave theirs up. Throws
/// MemoryError where there is no room for one. Results that have to be the same on every run do not
/// depend on what the machine has left.
Index block_columns(FactorState& state, const LinearSystem& system, const SolveRequest& request);

/// The right-hand sides of a block, where its solutions go, and memory for its residuals.
struct BlockVectors : RefinedVectors {
  double seconds = 0;  ///< what it took to bring them here, as part of the solve
};

/// How a solve gets one block after the other.
struct BlockStream {
  std::function<BlockVectors(Index first, Index columns)> begin;
  /// Is called when x has the solutions. Returns the seconds of the solve that it took.
  std::function<double(Index first, const BlockVectors& vectors, double error)> end;
};

/// How many right-hand sides are solved for, how many at once, and how.
struct BlockedSolve {
  Index count;
  Index columns;
  const SolveOptions& options;
};

/// Solves for one block, and refines its solutions. `norm` is that of A.
Refined solve_block(LinearSystem& system, double norm, const RefinedVectors& vectors, Index columns,
                    Index most_steps, bool records);

/// Solves for one block after the other, of which the last may be smaller, and remembers what that
/// took. The times are those of all blocks, the error and the steps are the worst block's.
Refined solve_blocks(FactorState& state, LinearSystem& system, const BlockedSolve& how,
                     const BlockStream& stream);

}  // namespace espalier::internal
