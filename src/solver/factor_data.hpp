// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/memory.hpp"
#include "solver/blocked_solve.hpp"
#include "solver/data.hpp"
#include "solver/factor_state.hpp"

namespace espalier::internal {

/// Data of a Factor.
struct FactorData {
  std::shared_ptr<const AnalysisData> analysis;
  std::shared_ptr<const MatrixData> matrix;  ///< the factored matrix; tasks read its values
  /// Memory for the residual of one right-hand side, touched before the first solve.
  Buffer residual;
  /// Time of the last factorization, in seconds, if factorize() ran it successfully; else 0.
  double seconds = 0;
  FactorState state;
};

/// Waits for all submitted work, and returns the result of the factorization. Throws MemoryError or
/// RuntimeFailure if a device failed.
FactorStatus wait_for(FactorData& data);

/// Memory of a solve in addition to its tasks, to L, and to the memory for one right-hand side.
struct SolveMemory {
  Count held = 0;     ///< bytes for the whole solve
  Index vectors = 0;  ///< number of vectors per right-hand side of a block
  SolvePart part = SolvePart::both;
};

/// Returns the number of right-hand sides per block; see the general block_columns().
Index block_columns(FactorData& data, Index count, const SolveMemory& memory);

}  // namespace espalier::internal
