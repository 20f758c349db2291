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
#include "solver/blocked_solve.hpp"
#include "solver/local_system.hpp"
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
  other->symbolic =
      structure_of(graph, {ordering, std::nullopt}, other->structure, analysis.sizes_only);
  describe_structure(*other);
  return other;
}

/// Plans for the analysis with the failed columns moved. Returns false if the plan stays, or if the
/// factor has lost its memory.
bool plan_with_delays(RepeatableFactor& factor, Index levels) {
  try {
    return factor.move_failed_columns(levels);
  } catch (const MemoryError&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// Moves the failed columns, and factors again. If memory is short, the columns stay; if the factor
/// then had to be allocated again, it is factored again. Returns whether the columns moved.
bool repeat_with_delays(RepeatableFactor& factor, Index levels) {
  const bool moved = plan_with_delays(factor, levels);
  const bool lost = !factor.is_allocated();
  if (lost) factor.allocate_again();
  if (moved || lost) factor.factorize_again();
  return moved;
}

/// The factor of one process.
class LocalRepeats final : public RepeatableFactor {
 public:
  explicit LocalRepeats(FactorData& data) : data_(data) {}

  bool chooses_pivots() const override { return internal::chooses_pivots(data_.state); }

  bool has_failed_columns() override {
    if (!data_.state.factored) return false;
    failed_ = in_order_of_l(data_, failed_pivots(data_.state.numeric->context().signs));
    return std::ranges::count(failed_, 1) > 0;
  }

  double probed_error() override {
    LocalSystem system(data_, data_.scaled.values);
    const std::vector<double> b = probe(data_.analysis->symbolic.n);
    std::vector<double> x(b.size());
    return internal::probed_error(*data_.state.numeric, system, {b, x, data_.residual.span()});
  }

  bool move_failed_columns(Index levels) override {
    if (data_.delayed == 0) data_.undelayed = data_.analysis;
    const auto moved = with_delays(*data_.analysis, *data_.undelayed, failed_, levels);
    if (!moved) return false;
    make_numeric(data_, moved);
    data_.delayed = std::max(data_.delayed, static_cast<Index>(std::ranges::count(failed_, 1)));
    return true;
  }

  bool is_allocated() const override { return data_.state.numeric != nullptr; }

  void allocate_again() override {
    data_.state.factored = false;
    make_numeric(data_, data_.analysis);
  }

  void factorize_again() override {
    start_factorization(data_);
    settle(data_);
  }

 private:
  FactorData& data_;
  std::vector<std::uint8_t> failed_;  ///< in the order of L
};

}  // namespace

std::vector<std::uint8_t> failed_pivots(const PivotSigns& signs) {
  std::vector<std::uint8_t> failed = signs.replaced;
  for (std::size_t k = 0; k < failed.size(); ++k) failed[k] |= signs.chosen.weak[k];
  return failed;
}

std::shared_ptr<const AnalysisData> with_delays(const AnalysisData& analysis,
                                                const AnalysisData& undelayed,
                                                std::span<const std::uint8_t> failed,
                                                Index levels) {
  const std::vector<Index> order = order_with_delays(analysis.symbolic, failed, levels);
  if (std::ranges::is_sorted(order)) return nullptr;
  auto moved = reordered(analysis, order);
  const bool fits = moved->symbolic.flops <= most_operations * undelayed.symbolic.flops;
  return fits ? std::move(moved) : nullptr;
}

std::vector<double> probe(Index n) {
  std::vector<double> b(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = i % 3 == 0 ? -1 : 1;
  return b;
}

double probed_error(NumericFactor& numeric, LinearSystem& scaled, const RefinedVectors& vectors) {
  constexpr Index refinement_steps = 2;
  constexpr bool records = false;
  const std::span<const double> scale = numeric.scale();
  numeric.set_scale({});
  const Refined refined = solve_block(scaled, scaled.norm(), vectors, 1, refinement_steps, records);
  numeric.set_scale(scale);
  return refined.backward_error;
}

bool delay_pivots(RepeatableFactor& factor) {
  if (!factor.chooses_pivots()) return false;
  bool repeated = false;
  double last_error = std::numeric_limits<double>::infinity();
  for (Index levels = 1; levels <= most_levels && factor.has_failed_columns(); levels *= 4) {
    const double error = factor.probed_error();
    if (error <= bound || (levels > first_levels && error > last_error / 10)) break;
    if (!repeat_with_delays(factor, levels)) break;
    repeated = true;
    last_error = error;
  }
  return repeated;
}

bool delay_pivots(FactorData& data) {
  LocalRepeats factor(data);
  return delay_pivots(factor);
}

}  // namespace espalier::internal
