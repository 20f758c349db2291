// SPDX-License-Identifier: BSD-3-Clause
#include "solver/delayed_pivots.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "espalier/error.hpp"
#include "ordering/ordering.hpp"
#include "solver/analysis.hpp"
#include "solver/refinement.hpp"
#include "symbolic/delayed_columns.hpp"

namespace espalier::internal {

namespace {

/// Maximum number of operations with delayed pivots, relative to those without.
constexpr double most_operations = 8;
/// Maximum distance of a move in the tree of panels.
constexpr Index most_levels = 256;
/// Moves farther than this must have reduced the error ten times before columns move again. The
/// columns of a singular matrix would otherwise move until the tree ends.
constexpr Index first_levels = 4;
/// Backward error above which pivots are delayed.
constexpr double bound = 1e-12;

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

/// Returns the backward error of a solution with S A S, after refinement. All rows of this matrix
/// have entries of about the same size, so that the error shows wrong entries in every row.
double probed_error(FactorData& data) {
  constexpr Index refinement_steps = 2;
  const SparseMatrixView scaled{*data.analysis->pattern, data.scaled.values};
  const double norm = norm_inf(scaled);
  std::vector<double> b(data.residual.span().size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = i % 3 == 0 ? -1 : 1;
  std::vector<double> solution(b.size());
  NumericFactor& numeric = *data.state.numeric;
  const auto solve = [&](std::span<const double> from, std::span<double> to) {
    numeric.submit_solve({from.data(), to.data(), 1});
    numeric.wait();
  };
  const auto residual = [&](std::span<double> x, std::span<double> r) {
    return residual_error(scaled, norm, x, b, r, 1);
  };
  const auto error = [&](std::span<double> x) { return residual_error(scaled, norm, x, b, 1); };
  numeric.set_scale({});
  const Refined refined = solve_refined({b, solution, data.residual.span()}, refinement_steps,
                                        false, solve, residual, error);
  numeric.set_scale(data.scaled.factors);
  return refined.backward_error;
}

/// Plans for the analysis with these columns of L moved. Returns false, and keeps the plan, if that
/// needs too much memory or too many operations. If there is no factor afterwards, memory was
/// short although it was predicted to suffice.
bool plan_with_delays(FactorData& data, std::span<const std::uint8_t> failed, Index levels,
                      double most_flops) {
  const std::vector<Index> order = order_with_delays(data.analysis->symbolic, failed, levels);
  if (std::ranges::is_sorted(order)) return false;
  try {
    const auto moved = reordered(*data.analysis, order);
    if (moved->symbolic.flops > most_flops) return false;
    make_numeric(data, moved);
  } catch (const MemoryError&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  data.delayed = std::max(data.delayed, static_cast<Index>(std::ranges::count(failed, 1)));
  return true;
}

/// Moves these columns of L, and factors again. If memory is short, the columns stay; if the factor
/// then had to be allocated again, it is factored again. Returns whether the columns moved.
bool repeat_with_delays(FactorData& data, std::span<const std::uint8_t> failed, Index levels,
                        double most_flops) {
  const bool moved = plan_with_delays(data, failed, levels, most_flops);
  const bool lost = data.state.numeric == nullptr;
  if (lost) {
    data.state.factored = false;
    make_numeric(data, data.analysis);
  }
  if (!moved && !lost) return false;
  start_factorization(data);
  settle(data);
  return moved;
}

}  // namespace

bool delay_pivots(FactorData& data) {
  if (data.state.numeric->context().signs.chosen.empty()) return false;
  if (data.delayed == 0) data.undelayed = data.analysis;
  const double most_flops = most_operations * data.undelayed->symbolic.flops;
  bool repeated = false;
  double last_error = std::numeric_limits<double>::infinity();
  for (Index levels = 1; levels <= most_levels && data.state.factored; levels *= 4) {
    const std::vector<std::uint8_t> failed = failed_columns(data);
    if (std::ranges::count(failed, 1) == 0) break;
    const double error = probed_error(data);
    if (error <= bound || (levels > first_levels && error > last_error / 10)) break;
    if (!repeat_with_delays(data, failed, levels, most_flops)) break;
    repeated = true;
    last_error = error;
  }
  return repeated;
}

}  // namespace espalier::internal
