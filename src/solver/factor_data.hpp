// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/memory.hpp"
#include "solver/blocked_solve.hpp"
#include "solver/data.hpp"
#include "solver/factor_state.hpp"

namespace espalier::internal {

/// What a Factor holds.
struct FactorData {
  std::shared_ptr<const AnalysisData> analysis;
  std::shared_ptr<const MatrixData> matrix;  ///< whose values are in L; tasks read them
  Buffer residual;     ///< memory for that of one right-hand side, which every solve finds touched
  double seconds = 0;  ///< the last factorization's; 0 where it was not waited for in one call
  FactorState state;
};

/// Waits for all that was submitted, and returns how the factorization ended. Throws MemoryError or
/// RuntimeFailure where a device failed.
FactorStatus wait_for(FactorData& data);

/// What a solve takes memory for beside what its tasks have, L and what is in memory for one
/// right-hand side.
struct SolveMemory {
  Count held = 0;     ///< bytes, for all of the solve
  Index vectors = 0;  ///< for each right-hand side of a block: so many vectors
  SolvePart part = SolvePart::both;
};

/// Returns how many right-hand sides are solved for at once, as the block_columns() of any system.
Index block_columns(FactorData& data, Index count, const SolveMemory& memory);

}  // namespace espalier::internal
