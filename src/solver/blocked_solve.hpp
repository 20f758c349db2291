// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>

#include "solver/factor_state.hpp"
#include "solver/linear_system.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

/// Number of right-hand sides, and the memory of their vectors in this process.
struct SolveRequest {
  Index count;
  /// Returns the size of the vectors of a block, in bytes, without the vectors of one right-hand
  /// side, which the predicted peak already includes.
  std::function<Count(Index columns)> vector_bytes;
  SolvePart part = SolvePart::both;
};

/// Returns the number of right-hand sides per block: at most most_columns, and at most the number
/// that fits into the memory of each process. Throws MemoryError if not even one fits. For a
/// deterministic factor it ignores the free memory of the machine.
Index columns_in_memory(FactorState& state, const LinearSystem& system,
                        const SolveRequest& request);

/// Returns the same number, and frees tasks of earlier solves to make space. Waits for all tasks if
/// it frees any.
Index block_columns(FactorState& state, const LinearSystem& system, const SolveRequest& request);

/// Vectors of a block: right-hand sides, memory for its solutions, and memory for its residuals.
struct BlockVectors : RefinedVectors {
  double seconds = 0;  ///< time to fetch the right-hand sides, which counts as part of the solve
};

/// Callbacks that provide one block after the other.
struct BlockStream {
  std::function<BlockVectors(Index first, Index columns)> begin;
  /// Called when x has the solutions. Returns the time of the call, in seconds, which counts as
  /// part of the solve.
  std::function<double(Index first, const BlockVectors& vectors, double error)> end;
};

/// Number of right-hand sides, number of right-hand sides per block, and options of the solve.
struct BlockedSolve {
  Index count;
  Index columns;
  const SolveOptions& options;
};

/// Solves for one block and refines its solutions. `norm` is the infinity norm of A.
Refined solve_block(LinearSystem& system, double norm, const RefinedVectors& vectors, Index columns,
                    Index most_steps, bool records);

/// Solves for one block after the other, and adds the solve to the history. The last block may be
/// smaller. The times of the result are sums over all blocks; error and steps are those of the
/// worst block.
Refined solve_blocks(FactorState& state, LinearSystem& system, const BlockedSolve& how,
                     const BlockStream& stream);

}  // namespace espalier::internal
