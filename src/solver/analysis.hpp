// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "espalier/options.hpp"
#include "ordering/ordering.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/phase_watch.hpp"
#include "perfmodels/tuning_file.hpp"
#include "plan/plan.hpp"
#include "scaling/weighted_matching.hpp"
#include "solver/data.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier::internal {

/// An ordering, and its column counts if they were computed to choose it.
struct CountedOrdering {
  Ordering ordering;
  std::optional<CountedOrder> counted;
  /// Size for which the order was made, if it is a previous one.
  std::optional<OrderedSize> ordered = {};
};

/// An earlier analysis, and for each column of the new matrix its number in the earlier one, or -1
/// for new columns. If there are no numbers, they are equal.
struct PreviousAnalysis {
  const AnalysisData& analysis;
  std::span<const Index> column;
};

/// Returns the ordering that the options ask for. The ordering does not depend on the tuning.
CountedOrdering counted_ordering(const CompressedGraph& graph, const AnalysisOptions& options,
                                 Index workers);

/// Counts the columns of L unless they are counted.
void count_columns(const CompressedGraph& graph, CountedOrdering& ordering, Index workers);

/// Returns the structure of L under the ordering. If `sizes_only` is true, returns only its sizes,
/// which are enough for several ranks.
SymbolicFactor structure_of(const CompressedGraph& graph, CountedOrdering counted,
                            const SymbolicOptions& options, bool sizes_only = false);

/// Returns the weighted matching of a matrix with values. Throws UsageError if it has none, and
/// InputError if a value is not finite.
MatchedColumns matching_of(const Matrix& matrix);

/// Function that searches for a tuning with a shorter factorization time under this ordering. It
/// changes `tuning` and returns a report of the search.
using TuningSearch = std::function<TuneReport(const CountedOrdering& ordering, Tuning& tuning)>;

/// An analysis before its ordering is known. The ordering may be computed elsewhere.
class AnalysisDraft {
 public:
  /// Compresses the graph. Options that are empty get their values from `given`, or else from the
  /// tuning that the options name. Reports of the analysis predict with `costs`; without them, each
  /// report reads the costs of this machine. Throws UsageError.
  AnalysisDraft(const Matrix& matrix, const AnalysisOptions& options,
                const std::optional<TuningChoice>& given = std::nullopt,
                const std::optional<CostChoice>& costs = std::nullopt);

  const CompressedGraph& graph() const { return graph_; }
  /// Returns the ordering that the options ask for. Throws UsageError, InputError, MemoryError.
  CountedOrdering order() const;
  /// Returns an ordering that keeps the parts of the previous one that have not changed. If too
  /// much has changed, this is order(). Throws UsageError if the sizes do not match, too.
  CountedOrdering order(const PreviousAnalysis& previous) const;
  /// Returns the analysis for an ordering of the graph. With `ranks`, it is the part of the
  /// analysis that this number of ranks needs. The draft is empty afterwards. If there is a search,
  /// it may change the tuning for empty options.
  std::shared_ptr<const AnalysisData> finish(CountedOrdering ordering,
                                             std::optional<Index> ranks = std::nullopt,
                                             const TuningSearch& search = {});

 private:
  std::optional<CountedOrdering> reused(const PreviousAnalysis& previous) const;
  void tune(const CountedOrdering& ordering, const TuningSearch& search);

  std::shared_ptr<AnalysisData> data_;
  AnalysisOptions options_;
  std::optional<PhaseWatch> watch_;
  CompressedGraph graph_;
};

/// Fills the part of the report that describes the structure of L.
void describe_structure(AnalysisData& analysis);

/// Returns the analysis with panels of at most `width` columns. Returns the given analysis itself
/// if it already has this width, or if the user has chosen the panel width. Cost about O(rows of
/// all panels).
std::shared_ptr<const AnalysisData> in_panels_of(Index width,
                                                 std::shared_ptr<const AnalysisData> analysis);

/// A plan for CPU workers, and the costs that predict its times.
struct PredictedFactorization {
  CostChoice costs;
  FactorPlan plan;
};

/// Returns the plan of a factorization on the workers of the analysis. Throws UsageError if the
/// analysis has only sizes.
PredictedFactorization predicted(const AnalysisData& analysis, const FactorOptions& options);

/// Returns the report of the analysis, with the tasks of this plan.
Report report_of(const AnalysisData& analysis, const PredictedFactorization& factorization);

/// Returns the number of tasks of a plan by predicted time: below 1 us, 10 us, and so on.
std::vector<Count> task_time_histogram(const FactorPlan& plan);

/// Returns an analysis that takes empty options from `tuning`, and names the source of the tuning
/// in the report. Predictions of the report use `costs`. Throws the same errors as Analysis.
Analysis analyze_with(const TuningChoice& tuning, const CostChoice& costs, const Matrix& matrix,
                      const AnalysisOptions& options);

}  // namespace espalier::internal
