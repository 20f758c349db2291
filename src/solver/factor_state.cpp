// SPDX-License-Identifier: BSD-3-Clause
#include "solver/factor_state.hpp"

#include "base/memory.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

NumericFactor& allocated(const FactorState& state) {
  if (state.numeric != nullptr) return *state.numeric;
  throw MemoryError(
      "the factor has lost its memory, because a repeated factorization needed more than there "
      "was; make another factor");
}

void expect_factor(const FactorState& state) {
  if (state.factored) return;
  throw UsageError("there is no factor to solve with; factorize() must succeed first");
}

void describe_factor(const FactorState& state, Report& report) {
  report.symbolic.predicted_peak_bytes = state.predicted_bytes + state.solve_bytes;
  report.factor.granularity = name_of(state.numeric->plan().granularity);
  report.factor.kernels = name_of(state.options.kernels.from);
  report.factor.setup_seconds = state.setup.seconds;
  report.factor.setup_work = state.setup.work;
  report.bad_column = state.bad_column;
  report.factor.factorization = name_of(state.options.factorization);
  const bool signs = state.options.factorization == Factorization::ldlt;
  if (state.bad_column >= 0) report.status = signs ? "wrong_pivot_sign" : "not_positive_definite";
}

}  // namespace espalier::internal
