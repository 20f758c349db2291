// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/cost_table.hpp"
#include "mapping/kernel_cost.hpp"
#include "matrix/sparse_matrix.hpp"
#include "plan/plan.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "solver/numeric_factor.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// A problem whose factorization is timed task by task. It is ordered for `workers` workers and
/// predicted with the costs of `table`, not of the table in use. The constructor throws InputError
/// if no problem has this name.
class TimedProblem {
 public:
  TimedProblem(const std::string& problem, const std::string& ordering, Index workers,
               std::shared_ptr<const CostTable> table);

  /// Returns a plan for `workers` workers, with accelerators among them if `accelerated`.
  FactorPlan plan(Index workers, const FactorOptions& options, bool accelerated = false) const;
  NumericFactor factor(const StarpuInstance& starpu, FactorPlan plan) const;
  /// Returns the seconds of each task of the factor in each factorization, indexed by task first.
  std::vector<std::vector<double>> seconds(NumericFactor& factor, Index factorizations) const;

  const SymbolicFactor& symbolic() const { return symbolic_; }
  const KernelCost& cost() const { return cost_; }

 private:
  SparseMatrix matrix_;
  SymbolicFactor symbolic_;
  KernelCost cost_;
};

}  // namespace espalier::internal
