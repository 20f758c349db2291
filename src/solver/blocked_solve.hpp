// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>

#include "solver/factor_state.hpp"
#include "solver/linear_system.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

/// A number of right-hand sides, and the bytes of their vectors in this process.
struct SolveRequest {
  Index count;
  /// Returns the bytes of the vectors of a block, without those for one right-hand side, which the
  /// predicted peak has already.
  std::function<Count(Index columns)> vector_bytes;
  SolvePart part = SolvePart::both;
};

/// Returns the number of right-hand sides of a block: at most most_columns, and at most as many as
/// fit into the memory of each process. Frees tasks of earlier solves for it. Throws MemoryError if
/// not even one fits. For a deterministic factor block_columns() ignores the free memory of the
/// machine.
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

/// Solves for one block after the other and adds the solve to the history. The last block may be
/// smaller. Times are sums over all blocks; the error and the steps are those of the worst block.
Refined solve_blocks(FactorState& state, LinearSystem& system, const BlockedSolve& how,
                     const BlockStream& stream);

}  // namespace espalier::internal
