// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
#include "perfmodels/phase_watch.hpp"
#include "plan/memory.hpp"
#include "runtime/factor_tasks.hpp"
#include "solver/data.hpp"
#include "solver/factor_state.hpp"
#include "solver/matrix.hpp"

namespace espalier::internal {

/// What a DistributedFactor holds on each rank.
struct DistributedFactorData {
  /// Divides the root's analysis, plans and allocates this rank's part. Collective.
  DistributedFactorData(const RanksData& of, const AnalysisData* analysis,
                        const FactorOptions& given);
  DistributedFactorData(const DistributedFactorData&) = delete;
  DistributedFactorData& operator=(const DistributedFactorData&) = delete;
  ~DistributedFactorData() { state.numeric.reset(); }  // its tasks use all else

  /// Returns the column of A that a column of L is, where this rank has it, else none.
  Index column_of_a(Index column_of_l) const;
  /// Factors what scatter() puts into the distribution; it returns the first column whose diagonal
  /// entry is not positive, or more than any.
  template <typename Scatter>
  FactorStatus factorize(Scatter scatter);
  /// Gives up the matrix once its values are on their way, if there is one.
  FactorStatus factorize(std::shared_ptr<const DistributedMatrixData> given, bool give_up);
  /// Frees `owned`, unless it is null, when all ranks have their parts of b.
  Solution solve(std::span<const double> b, Index count, const SolveOptions& options,
                 std::vector<double>* owned);
  /// Returns the bytes of this rank's vectors in a solve for `count` right-hand sides by blocks of
  /// `columns`, without those for one right-hand side. The root has all right-hand sides. It frees
  /// them during the solve if they are given up.
  Count vector_bytes(Index count, Index columns, bool given_up) const;
  /// Returns what this rank tells of its part.
  RankView view();
  /// Returns the plan of this rank, and sets what it keeps in memory.
  FactorPlan planned();
  void allocate(FactorPlan plan);

  static constexpr Index none = std::numeric_limits<Index>::max();
  const RanksData& ranks;
  // What follows of the analysis is on the root alone.
  std::optional<PatternMark> pattern;
  Report report;
  Index all_workers;  ///< of all ranks
  FactorState state;
  Distribution distribution;
  RankVectors vectors;
  RankBytes kept;
  Count window = 0;  ///< how many bytes the memory window may hold
  std::optional<RankMatrix> matrix;
  Stopwatch watch;       ///< runs since the call of the last factorization
  Traffic traffic;       ///< what the last factorization sent and received
  DirectTraffic direct;  ///< what of that had to do with devices alone
  std::weak_ptr<const DistributedMatrixData> routed;  ///< whose values go these ways
  std::optional<ValueRoutes> routes;
};

}  // namespace espalier::internal
