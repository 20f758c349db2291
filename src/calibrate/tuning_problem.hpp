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

/// A matrix that is ordered once: what its factorization is predicted to take with one tuning after
/// another. Who minimizes a prediction finds where it errs, so it learns from what was measured.
/// One thread may use it at a time.
class TuningProblem {
 public:
  /// A table of costs, or null for rules of thumb.
  using Costs = std::shared_ptr<const CostTable>;

  /// Orders as an Analysis with these options does. `threads` make no difference to predictions.
  TuningProblem(const Matrix& matrix, const AnalysisOptions& options, Costs costs, Index threads);
  /// Takes an ordering of the compressed graph of the matrix, and what a Factor will be asked for;
  /// the options name the workers, which are as many threads. Leave the graph where it is.
  TuningProblem(const Matrix& matrix, const AnalysisOptions& options, Costs costs,
                const CompressedGraph& graph, const CountedOrdering& ordering,
                const FactorOptions& factor);
  ~TuningProblem();
  TuningProblem(TuningProblem&&) noexcept;
  TuningProblem& operator=(TuningProblem&&) noexcept;

  /// Returns the predicted time of the plan that a Factor would have. It costs about what the
  /// symbolic phase costs, and less where one of the last two tunings had the same limits of
  /// amalgamation.
  double predicted_seconds(const Tuning& tuning);
  /// Returns by rules of thumb how many factorizations take as long as a look: predicted_seconds()
  /// for other limits of amalgamation.
  double factorizations_a_look() const;
  /// Returns what swCholesky minimizes instead (SupernodeModel), with as many cores as workers;
  /// what was learned makes no difference.
  double paper_objective(const Tuning& tuning) const;
  /// Takes tasks of a factorization of this matrix, with any tuning, as a measure of what such
  /// tasks take in it.
  void learn(std::span<const TaskRun> runs);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace espalier::internal
