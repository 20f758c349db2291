// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "base/options.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

struct CompressedGraph;
struct CostTable;
struct CountedOrdering;

/// A matrix that is ordered once, whose factorization is predicted for many tunings. A search for
/// the shortest prediction tends to find a prediction that is too short, so the object can learn
/// from measured tasks. Not thread-safe.
class TuningProblem {
 public:
  /// A table of costs, or null for built-in estimates.
  using Costs = std::shared_ptr<const CostTable>;

  /// Orders as an Analysis with these options does. `threads` does not change predictions.
  TuningProblem(const Matrix& matrix, const AnalysisOptions& options, Costs costs, Index threads);
  /// Uses an ordering of the compressed graph of the matrix, and the options of a future Factor.
  /// The options give the number of workers, which is also the number of threads. The graph must
  /// outlive the object.
  TuningProblem(const Matrix& matrix, const AnalysisOptions& options, Costs costs,
                const CompressedGraph& graph, const CountedOrdering& ordering,
                const FactorOptions& factor);
  ~TuningProblem();
  TuningProblem(TuningProblem&&) noexcept;
  TuningProblem& operator=(TuningProblem&&) noexcept;

  /// Returns the predicted time of the plan that a Factor would have. Costs about as much as the
  /// symbolic phase, and less if one of the last two tunings had the same limits of amalgamation.
  double predicted_seconds(const Tuning& tuning);
  /// Returns an estimate of the time of one evaluation, in factorizations. An evaluation is a call
  /// of predicted_seconds() with new limits of amalgamation.
  double factorizations_per_evaluation() const;
  /// Returns the objective of swCholesky (SupernodeModel), with one core per worker. The objective
  /// does not depend on learn().
  double paper_objective(const Tuning& tuning) const;
  /// Learns from the measured tasks of a factorization of this matrix, with any tuning.
  void learn(std::span<const TaskRun> runs);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace espalier::internal
