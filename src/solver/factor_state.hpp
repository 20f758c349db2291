// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "espalier/options.hpp"
#include "mapping/kernel_cost.hpp"
#include "perfmodels/phase_watch.hpp"
#include "report/factor_report.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "solver/numeric_factor.hpp"

namespace espalier::internal {

/// State of a factor, in one process or on one of several ranks.
struct FactorState {
  const StarpuInstance* starpu = nullptr;
  FactorOptions options;
  /// Whether Factorization::automatic was requested. options.factorization is then the present
  /// kind, L Lᵀ or L J Lᵀ.
  bool automatic = false;
  KernelCost cost;  ///< from the costs of `starpu`
  PhaseTime setup;
  std::unique_ptr<NumericFactor> numeric;
  /// Infinity norm of the factored matrix; negative until a solve needs it.
  double norm = -1;
  bool factored = false;
  Index bad_column = -1;  ///< the column at which the last factorization failed, or -1
  FactorHistory history;
  Count predicted_bytes = 0;  ///< predicted peak with one right-hand side
  Count solve_bytes = 0;      ///< predicted additional memory of the largest solve so far
};

/// Returns the numeric factor. Throws MemoryError if there was no memory to allocate it again.
NumericFactor& allocated(const FactorState& state);

/// Throws UsageError if there is neither a factor to solve with nor a pending factorization.
void expect_factor(const FactorState& state);

/// Fills the part of a report that all factors have: `status`, the predicted memory, the choices in
/// `factor`, and the time of its set-up.
void describe_factor(const FactorState& state, Report& report);

}  // namespace espalier::internal
