// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "espalier/options.hpp"
#include "ordering/ordering.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/phase_watch.hpp"
#include "perfmodels/tuning_file.hpp"
#include "solver/data.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier::internal {

/// An ordering and, where it was chosen by them, its column counts.
struct CountedOrdering {
  Ordering ordering;
  std::optional<CountedOrder> counted;
};

/// Orders as the options say; no tuning makes a difference to that.
CountedOrdering counted_ordering(const CompressedGraph& graph, const AnalysisOptions& options,
                                 Index workers);

/// Returns the structure of L under the ordering, or its outline, which is what ranks need of it.
SymbolicFactor structure_of(const CompressedGraph& graph, CountedOrdering counted,
                            const SymbolicOptions& options, bool outline = false);

/// Looks for a tuning with which a matrix is factored faster under this ordering, and returns what
/// it came to.
using TuningSearch = std::function<TuneReport(const CountedOrdering& ordering, Tuning& tuning)>;

/// An analysis up to its ordering, which may be made elsewhere.
class AnalysisDraft {
 public:
  /// Compresses the graph. What the options leave empty is as `given` has it, where it is, else as
  /// they say themselves. Reports of the analysis predict by `costs`; without them each report
  /// reads those of this machine. Throws UsageError.
  AnalysisDraft(const Matrix& matrix, const AnalysisOptions& options,
                const std::optional<TuningChoice>& given = std::nullopt,
                const std::optional<CostChoice>& costs = std::nullopt);

  const CompressedGraph& graph() const { return graph_; }
  /// Orders as the options say. Throws UsageError, InputError, MemoryError.
  CountedOrdering order() const;
  /// Returns the analysis with an ordering of the graph, or what so many ranks need of it; nothing
  /// is left of the draft. The search, if any, may change the tuning for what the options leave
  /// empty.
  std::shared_ptr<const AnalysisData> finish(CountedOrdering ordering,
                                             std::optional<Index> ranks = std::nullopt,
                                             const TuningSearch& search = {});

 private:
  void tune(const CountedOrdering& ordering, const TuningSearch& search);

  std::shared_ptr<AnalysisData> data_;
  AnalysisOptions options_;
  std::optional<PhaseWatch> watch_;
  CompressedGraph graph_;
};

/// Returns the analysis with panels of at most so many columns, or the same one where it has these
/// or where somebody has chosen others. Cost about O(rows of all panels).
std::shared_ptr<const AnalysisData> in_panels_of(Index width,
                                                 std::shared_ptr<const AnalysisData> analysis);

/// Returns the analysis in which what the options leave empty is as this choice has it, as the
/// report says, which predicts by these costs. Throws as Analysis does.
Analysis analyze_with(const TuningChoice& tuning, const CostChoice& costs, const Matrix& matrix,
                      const AnalysisOptions& options);

}  // namespace espalier::internal
