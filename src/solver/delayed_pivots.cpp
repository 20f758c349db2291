// SPDX-License-Identifier: BSD-3-Clause
#include "solver/delayed_pivots.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "espalier/error.hpp"
#include "solver/analysis.hpp"
#include "solver/blocked_solve.hpp"
#include "solver/local_system.hpp"
#include "solver/singularity.hpp"
#include "symbolic/delayed_columns.hpp"

namespace espalier::internal {

namespace {

/// Maximum number of operations with delayed pivots, relative to those without.
constexpr double most_operations = 8;
/// Number of operations that is always allowed.
constexpr double few_operations = 1e8;
/// Maximum distance of a move in the tree of panels.
constexpr Index most_levels = 65'536;
/// Backward error above which pivots are delayed.
constexpr double bound = 1e-12;

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

/// The factor of one process.
class LocalRepeats final : public RepeatableFactor {
 public:
  explicit LocalRepeats(FactorData& data) : data_(data) {}

  bool chooses_pivots() const override { return internal::chooses_pivots(data_.state); }

  PivotFailure find_failed_columns() override {
    if (!data_.state.factored) return PivotFailure::none;
    const PivotSigns& signs = data_.state.numeric->context().signs;
    failed_ = in_order_of_l(data_, failed_pivots(signs));
    return worst_failure(signs);
  }

  double probed_error() override {
    LocalSystem system(data_, data_.scaled.values);
    const std::vector<double> b = random_numbers(data_.scaled.factors.size());
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

  void factorize_again(bool leaves_out) override {
    if (leaves_out) data_.state.numeric->leave_columns_out();
    start_factorization(data_);
    settle(data_);
  }

 private:
  FactorData& data_;
  std::vector<std::uint8_t> failed_;  ///< in the order of L
};

PivotFailure failure_of(const PivotSigns& signs, std::size_t column) {
  const bool replaced = signs.replaced[column] != 0 && !signs.is_null(static_cast<Index>(column));
  if (replaced) return PivotFailure::replaced;
  return signs.chosen.weak[column] != 0 ? PivotFailure::weak : PivotFailure::none;
}

}  // namespace

std::vector<std::uint8_t> failed_pivots(const PivotSigns& signs) {
  std::vector<std::uint8_t> failed(signs.replaced.size());
  for (std::size_t k = 0; k < failed.size(); ++k) {
    failed[k] = failure_of(signs, k) != PivotFailure::none ? 1 : 0;
  }
  return failed;
}

PivotFailure worst_failure(const PivotSigns& signs) {
  PivotFailure worst = PivotFailure::none;
  for (std::size_t k = 0; k < signs.replaced.size(); ++k) {
    worst = std::max(worst, failure_of(signs, k));
  }
  return worst;
}

std::shared_ptr<const AnalysisData> with_delays(const AnalysisData& analysis,
                                                const AnalysisData& undelayed,
                                                std::span<const std::uint8_t> failed,
                                                Index levels) {
  const DelayedOrder order = order_with_delays(analysis.symbolic, failed, levels);
  if (std::ranges::is_sorted(order.column)) return nullptr;
  auto moved = std::make_shared<AnalysisData>(analysis);
  moved->has_default_panels = false;
  moved->structure.refine_partition = false;  // ranks would do this after the move
  moved->symbolic =
      reordered(*analysis.pattern, analysis.symbolic, order, analysis.workers, analysis.sizes_only);
  describe_structure(*moved);
  const double most = std::max(few_operations, most_operations * undelayed.symbolic.flops);
  return moved->symbolic.flops <= most ? std::move(moved) : nullptr;
}

double probed_error(NumericFactor& numeric, LinearSystem& scaled, const RefinedVectors& vectors) {
  constexpr Index refinement_steps = 1;
  constexpr bool records = false;
  const std::span<const double> scale = numeric.scale();
  numeric.set_scale({});
  const Refined refined = solve_block(scaled, scaled.norm(), vectors, 1, refinement_steps, records);
  numeric.set_scale(scale);
  return refined.backward_error;
}

namespace {

/// Returns whether columns should move. Without replaced pivots, solutions may be accurate.
bool needs_moves(RepeatableFactor& factor, PivotFailure found) {
  if (found == PivotFailure::weak) return factor.probed_error() > bound;
  return found == PivotFailure::replaced;
}

}  // namespace

bool delay_pivots(RepeatableFactor& factor) {
  if (!factor.chooses_pivots()) return false;
  bool repeated = false;
  PivotFailure found = factor.find_failed_columns();
  for (Index levels = 1; levels <= most_levels && needs_moves(factor, found); levels *= 4) {
    if (!plan_with_delays(factor, levels)) break;
    factor.factorize_again(true);
    repeated = true;
    found = factor.find_failed_columns();
  }
  const bool lost = !factor.is_allocated();
  if (lost) factor.allocate_again();
  const bool leaves_out = repeated && found == PivotFailure::replaced;
  if (lost || leaves_out) factor.factorize_again(false);
  return repeated || lost;
}

bool delay_pivots(FactorData& data) {
  LocalRepeats factor(data);
  return delay_pivots(factor);
}

}  // namespace espalier::internal
