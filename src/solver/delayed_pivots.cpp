// SPDX-License-Identifier: BSD-3-Clause
#include "solver/delayed_pivots.hpp"

#include <algorithm>
#include <utility>

#include "base/memory.hpp"
#include "espalier/error.hpp"
#include "ordering/ordering.hpp"
#include "solver/analysis.hpp"
#include "symbolic/delayed_columns.hpp"

namespace espalier::internal {

namespace {

/// Maximum number of operations with delayed pivots, relative to those without.
constexpr double most_operations = 8;

/// Returns marks of the columns of L whose pivots are too small.
std::vector<std::uint8_t> failed_columns(const FactorData& data) {
  const PivotSigns& signs = data.state.numeric->context().signs;
  std::vector<std::uint8_t> failed = in_order_of_l(data, signs.replaced);
  const std::vector<std::uint8_t> weak = in_order_of_l(data, signs.chosen.weak);
  for (std::size_t k = 0; k < failed.size(); ++k) failed[k] |= weak[k];
  return failed;
}

/// Returns the other column of each column's pair, or the column itself, in the numbering of A.
std::vector<Index> pairs_of_a(const SymbolicFactor& symbolic) {
  const std::vector<Index>& old_of = symbolic.permutation.old_of;
  std::vector<Index> partner(symbolic.partner.size());
  for (std::size_t k = 0; k < partner.size(); ++k) {
    partner[old_of[k]] = old_of[symbolic.partner[k]];
  }
  return partner;
}

/// Returns the analysis of the same matrix for another order of its columns.
std::shared_ptr<const AnalysisData> reordered(const AnalysisData& analysis,
                                              const std::vector<Index>& order) {
  auto other = std::make_shared<AnalysisData>(analysis);
  const std::vector<Index>& old_of = analysis.symbolic.permutation.old_of;
  std::vector<Index> columns(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) columns[k] = old_of[order[k]];
  const CompressedGraph graph =
      graph_to_order(*analysis.pattern, "natural", {pairs_of_a(analysis.symbolic), {}});
  const Ordering ordering{contract(graph, Permutation::from_old_of(std::move(columns))), "delayed"};
  other->symbolic = structure_of(graph, {ordering, std::nullopt}, other->structure);
  describe_structure(*other);
  return other;
}

}  // namespace

void delay_pivots(FactorData& data) {
  if (data.state.numeric->context().signs.chosen.empty()) return;
  const double first_flops = data.analysis->symbolic.flops;
  for (Index levels = 1;; levels *= 2) {
    const SymbolicFactor& symbolic = data.analysis->symbolic;
    const std::vector<std::uint8_t> failed = failed_columns(data);
    const std::vector<Index> order = order_with_delays(symbolic, failed, levels);
    if (std::ranges::is_sorted(order)) return;
    const auto moved = reordered(*data.analysis, order);
    if (moved->symbolic.flops > most_operations * first_flops) return;
    data.delayed = std::max(data.delayed, static_cast<Index>(std::ranges::count(failed, 1)));
    try {
      make_numeric(data, moved);
    } catch (const MemoryError&) {
      return;
    }
    start_factorization(data);
    settle(data);
    if (!data.state.factored) return;
  }
}

}  // namespace espalier::internal
