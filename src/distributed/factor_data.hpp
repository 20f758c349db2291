// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/options.hpp"
#include "distributed/data.hpp"
#include "distributed/distribution.hpp"
#include "distributed/rank_report.hpp"
#include "distributed/rank_system.hpp"
#include "distributed/status_exchange.hpp"
#include "distributed/value_exchange.hpp"
#include "perfmodels/phase_watch.hpp"
#include "plan/memory.hpp"
#include "runtime/factor_tasks.hpp"
#include "solver/data.hpp"
#include "solver/factor_state.hpp"
#include "solver/matrix.hpp"
#include "solver/outcome_log.hpp"
#include "solver/pivots.hpp"
#include "solver/scaled_matrix.hpp"

namespace espalier::internal {

/// Data of a DistributedFactor on each rank.
struct DistributedFactorData {
  /// Divides the root's analysis, and plans this rank's part. Throws MemoryError if the predicted
  /// peak does not fit. Collective.
  DistributedFactorData(const RanksData& of, std::shared_ptr<const AnalysisData> analysis,
                        const FactorOptions& given);
  DistributedFactorData(const DistributedFactorData&) = delete;
  DistributedFactorData& operator=(const DistributedFactorData&) = delete;
  ~DistributedFactorData() { state.numeric.reset(); }  // its tasks use all other members

  /// Returns the values that the factorization gets: those of A, or those of S A S if it chooses
  /// its pivots. Collective.
  std::span<const double> values_to_factor();
  /// Returns the column of A for a column of L, or `none` if this rank does not have it.
  Index column_of_a(Index column_of_l) const;
  /// Factors the values that scatter() puts into the distribution. scatter() returns the first
  /// column whose diagonal entry is not positive, or n or more if there is none.
  template <typename Scatter>
  FactorStatus factorize(Scatter scatter);
  /// Factors the matrix of the root. Forgets it when its values have been sent, unless another
  /// factorization may need it, see may_repeat(). Collective.
  FactorStatus factorize(std::optional<Matrix>& given);
  /// Factors the given matrix, which must have the analyzed pattern. If `give_up` is true, forgets
  /// the matrix and its routes in the same way. Collective.
  FactorStatus factorize(std::shared_ptr<const DistributedMatrixData>& given, bool give_up);
  /// Returns whether a factorization may follow that has the same values: after a failed attempt of
  /// L Lᵀ, or to delay pivots.
  bool may_repeat() const;
  /// Waits for the tasks on handles. Throws MemoryError or RuntimeFailure on all ranks if a device
  /// failed. Collective.
  void settle();
  /// Waits for the tasks on handles, and forgets their results.
  void forget_handles();
  /// Prepares factorizations with values of this matrix in handles. Throws UsageError if it has
  /// another pattern. Collective.
  void expect_values_of(std::shared_ptr<const DistributedMatrixData> given);
  /// Submits a factorization with values in handles, and the exchange of its result.
  void submit_factorize(starpu_data_handle_t values);
  /// Returns the result of this rank, in a task after those of the factorization.
  SharedStatus status_of_rank() const;
  /// Solves for `count` right-hand sides. Frees `owned`, if it is not null, when all ranks have
  /// their parts of b.
  Solution solve(std::span<const double> b, Index count, const SolveOptions& options,
                 std::vector<double>* owned);
  /// Returns the memory of this rank's vectors, in bytes, for `count` right-hand sides in blocks of
  /// `columns`. The result does not include the vectors of one right-hand side. The root has all
  /// right-hand sides, and frees them during the solve if `given_up` is true.
  Count vector_bytes(Index count, Index columns, bool given_up) const;
  /// Returns the data of this rank for reports.
  RankView view();
  /// Returns facts about the pivots of the last factorization, which must have succeeded, on the
  /// root. Returns nothing on other ranks. Cost O(entries of L), seven solves. Collective.
  std::optional<SignedPivotFacts> pivots();
  /// Returns the first column of A whose pivot is marked on any rank, or -1. The marks are in the
  /// order of pivots. Collective.
  Index first_marked(std::span<const std::uint8_t> marks) const;
  /// Returns whether A is singular to rounding. The factorization must have chosen its pivots.
  /// Collective.
  bool is_singular();
  /// Returns the plan of this rank, and sets `kept`.
  FactorPlan planned();
  /// Returns the bytes of the analysis and of the matrix, which the root keeps during a
  /// factorization L J Lᵀ, because it may have to move columns.
  Count bytes_to_repeat() const;
  /// Predicts the memory of this rank. Throws MemoryError.
  void predict_memory();
  /// Allocates L. Call it once. Collective.
  void allocate();

  static constexpr Index none = std::numeric_limits<Index>::max();
  const RanksData& ranks;
  // `pattern` and `report` are set only on the root.
  std::optional<PatternMark> pattern;
  Report report;
  /// Only on the root: the analysis, as long as the factor may have to change it.
  std::shared_ptr<const AnalysisData> known;
  /// Only on the root: the analysis before delay_pivots() moved columns.
  std::shared_ptr<const AnalysisData> undelayed;
  Index delayed = 0;  ///< columns that delay_pivots() has moved
  Index all_workers;  ///< number of workers of all ranks
  FactorOptions requested;
  FactorState state;
  std::vector<BlockGrid> owners;  ///< grid of workers of each rank if tasks are batched
  Distribution distribution;
  RankVectors vectors;
  std::optional<FactorPlan> plan;  ///< until allocate()
  RankBytes kept;
  Count pool = 0;  ///< size of the buffer pool in bytes
  std::optional<RankMatrix> matrix;
  ScaledMatrix scaled;  ///< this rank's part of it if the factorization chooses its pivots
  Stopwatch watch;      ///< started by the last factorization
  /// Time of the last factorization in seconds, without the factorizations that it repeats; 0 if it
  /// was on handles or failed.
  double seconds = 0;
  double attempt_seconds = -1;  ///< as in the report
  Traffic traffic;              ///< messages of the last factorization
  DirectTraffic direct;         ///< the part of these messages that bypassed the host
  std::weak_ptr<const DistributedMatrixData> routed;  ///< the matrix that `routes` belong to
  std::optional<ValueRoutes> routes;
  // Factorizations on handles:
  std::optional<ValueExchange> values;  ///< for the last matrix
  std::optional<StatusExchange> agreement;
  SharedStatus of_values;      ///< defects of the values of this rank
  OutcomeLog log;              ///< results, which are equal on all ranks
  bool is_on_handles = false;  ///< tasks on handles may be pending
};

}  // namespace espalier::internal
