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

/// What a factor remembers, be it of a process alone or the part of one of several ranks.
struct FactorState {
  const StarpuInstance* starpu = nullptr;
  FactorOptions options;
  KernelCost cost;  ///< by the costs of `starpu`
  PhaseTime setup;
  std::unique_ptr<NumericFactor> numeric;
  double norm = -1;  ///< of the matrix whose values are in L, once a solve has needed it
  bool factored = false;
  Index bad_column = -1;  ///< the column at which the last factorization failed, or -1
  FactorHistory history;
  Count predicted_bytes = 0;  ///< with one right-hand side
  Count solve_bytes = 0;      ///< what the largest solve so far was predicted to take besides
};

/// Throws UsageError where there is no factor to solve with, or none is under way.
void expect_factor(const FactorState& state);

/// Fills what a report says of any factor: `status`, the predicted memory, the choices of `factor`
/// and the seconds of its set-up.
void describe_factor(const FactorState& state, Report& report);

}  // namespace espalier::internal
