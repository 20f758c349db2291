// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/memory.hpp"
#include "perfmodels/phase_watch.hpp"
#include "report/factor_report.hpp"
#include "solver/data.hpp"
#include "solver/numeric_factor.hpp"

namespace espalier::internal {

/// What a Factor holds.
struct FactorData {
  const StarpuInstance* starpu = nullptr;
  std::shared_ptr<const AnalysisData> analysis;
  KernelCost cost;  ///< by the costs of `starpu`
  bool record_work = false;
  DenseKernels::Source kernels{};
  PhaseTime setup;
  std::shared_ptr<const MatrixData>
      matrix;  ///< whose values are in L; tasks of `numeric` read them
  std::unique_ptr<NumericFactor> numeric;
  Buffer residual;   ///< memory for that of one right-hand side, which every solve finds touched
  double norm = -1;  ///< the norm of `matrix`, once a solve has needed it
  bool factored = false;
  Index bad_column = -1;  ///< the column at which the last factorization failed, or -1
  double seconds = 0;     ///< the last factorization's; 0 where it was not waited for in one call
  FactorHistory history;
  Count memory_limit = 0;
  bool deterministic = false;
  Count predicted_bytes = 0;  ///< with one right-hand side
  Count solve_bytes = 0;      ///< what the largest solve so far was predicted to take besides
};

/// Throws UsageError where there is no factor to solve with, or none is under way.
void expect_factor(const FactorData& data);

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

/// Returns how many right-hand sides are solved for at once: as many as there is memory for, after
/// tasks of earlier solves gave theirs up. Throws MemoryError where there is none for one. Results
/// that have to be the same on every run do not depend on what the machine has left.
Index block_columns(FactorData& data, Index count, const SolveMemory& memory);

}  // namespace espalier::internal
