// SPDX-License-Identifier: BSD-3-Clause
#include "solver/pivots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/scalar.hpp"
#include "espalier/error.hpp"
#include "matrix/sparse_matrix.hpp"
#include "solver/singularity.hpp"

namespace espalier::internal {

void expect_supported(const FactorOptions& options) {
  if (options.factorization == Factorization::llt) return;
  if (options.kernels.from == DenseKernels::Source::automatic) return;
  throw UsageError(
      fmt::format("factorization={} has separate kernels; set kernels=auto instead of kernels={}",
                  name_of(options.factorization), name_of(options.kernels.from)));
}

void expect_signed(const FactorState& state) {
  if (!state.automatic && state.options.factorization == Factorization::ldlt) return;
  throw UsageError("signs of pivots are for factorization=ldlt; make the factor with this option");
}

void expect_one_kind(const FactorState& state) {
  if (!state.automatic) return;
  throw UsageError("factorization=auto needs a matrix instead of handles; choose llt or ldlt");
}

bool chooses_pivots(const FactorState& state) {
  return state.options.factorization == Factorization::ldlt && !state.numeric->has_signs();
}

void prepare_pivots(NumericFactor& numeric) {
  if (numeric.context().signs.empty()) numeric.choose_pivots();
}

void expect_regularizable(const FactorState& state) {
  const FactorOptions& options = state.options;
  if (options.factorization == Factorization::llt || state.numeric->has_signs()) return;
  if (std::ranges::count(options.regularization, 0.0) == std::ssize(options.regularization)) return;
  throw UsageError(
      "regularization needs the signs of the pivots; give the signs, or leave out regularization");
}

std::vector<double> checked_signs(std::span<const signed char> given, Index n, Index base) {
  if (std::ssize(given) != n) {
    throw UsageError(
        fmt::format("the matrix has {} rows, but there are {} signs of pivots", n, given.size()));
  }
  for (Index i = 0; i < n; ++i) {
    if (given[i] == 1 || given[i] == -1) continue;
    throw UsageError(fmt::format("the sign of row {} (counted from {}) is {}; it must be 1 or -1",
                                 Count{i} + base, base, static_cast<int>(given[i])));
  }
  return {given.begin(), given.end()};
}

Count pivot_bytes(Index n, const FactorOptions& options) {
  if (options.factorization == Factorization::llt) return 0;
  constexpr Count marks = 5;  // one byte each
  return scalar.bytes_of(n) + n * (Count{sizeof(Index)} + Count{sizeof(Rotation)} + marks);
}

void SignCounts::add(const PivotSigns& signs, Index column) {
  Index& count = signs.empty() || signs.sign[column] > 0 ? positive : negative;
  ++(signs.is_null(column) ? zero : count);
}

SignCounts count_signs(const PivotSigns& signs, Index n) {
  SignCounts counts;
  for (Index k = 0; k < n; ++k) counts.add(signs, k);
  return counts;
}

std::vector<std::uint8_t> null_marks(const PivotSigns& signs) {
  std::vector<std::uint8_t> marks(signs.replaced.size());
  for (std::size_t k = 0; k < marks.size(); ++k) {
    marks[k] = signs.is_null(static_cast<Index>(k)) ? 1 : 0;
  }
  return marks;
}

SignedPivotFacts facts_of(const PivotSigns& signs, const SignCounts& counts,
                          std::vector<Index> replaced) {
  const bool changed = signs.chosen.empty() && !replaced.empty();
  return {
      .signs = counts, .regularized = signs.shift > 0 || changed, .replaced = std::move(replaced)};
}

std::vector<std::uint8_t> in_order_of_l(const PanelStructure& structure, const BlockPivots& pivots,
                                        std::span<const std::uint8_t> marks) {
  if (std::ranges::count(marks, 0) == std::ssize(marks)) return {marks.begin(), marks.end()};
  std::vector<double> marked(marks.begin(), marks.end());
  for (Index p = 0; p < structure.panels(); ++p) {
    const Index first = structure.panel_begin[p];
    pivots.undo_swaps(first, {marked.data() + first, 1, structure.width(p), 1});
  }
  return {marked.begin(), marked.end()};
}

Inertia SignedPivotFacts::inertia() const {
  // Rounding changes entry (i, j) of A by at most a small multiple of r_i r_j times the precision,
  // where r_i is the norm of row i of L. No change of this size makes A singular, and no eigenvalue
  // changes its sign, if the precision times the sum of the entries of |R A⁻¹ R| is below 1.
  constexpr double precision = std::numeric_limits<double>::epsilon();
  const double n = static_cast<double>(signs.positive) + signs.negative;
  const bool separate = precision * n * inverse_norm <= 0.1;  // false for NaN
  const bool exact = separate && !regularized && signs.zero == 0;
  return {signs.positive, signs.negative, signs.zero,
          exact ? Inertia::Status::exact : Inertia::Status::uncertain};
}

namespace {

double sum_of_magnitudes(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

/// Returns a vector that has 1 at the entry of y with the largest magnitude, and 0 elsewhere.
std::vector<double> unit_at_largest(std::span<const double> y) {
  std::vector<double> unit(y.size());
  const auto less = [](double a, double b) { return std::abs(a) < std::abs(b); };
  if (!y.empty()) unit[std::ranges::max_element(y, less) - y.begin()] = 1;
  return unit;
}

}  // namespace

double scaled_inverse_norm(std::span<const double> r, const SolveInPlace& solve) {
  constexpr int steps = 3;
  const std::size_t n = r.size();
  std::vector<double> x = random_numbers(n);
  for (double& entry : x) entry /= static_cast<double>(n);
  double estimate = 0;
  const auto apply = [&] {
    for (std::size_t i = 0; i < n; ++i) x[i] *= r[i];
    solve(x);
    for (std::size_t i = 0; i < n; ++i) x[i] *= r[i];
  };
  for (int step = 0; step < steps; ++step) {
    apply();
    estimate = max_or_nan(sum_of_magnitudes(x), estimate);
    for (double& entry : x) entry = std::copysign(1.0, entry);
    apply();
    x = unit_at_largest(x);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double size =
        1 + static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(n - 1, 1));
    x[i] = i % 2 == 0 ? size : -size;
  }
  apply();
  return n == 0 ? 0 : max_or_nan(2 * sum_of_magnitudes(x) / (3 * static_cast<double>(n)), estimate);
}

namespace {

/// Sums of squares by rows of L, without null pivots. The rows of triangles have the order in which
/// their blocks chose pivots, so they are summed apart.
struct RowSquares {
  const PanelStructure& structure;
  const PivotSigns& signs;
  std::vector<double> below = std::vector<double>(static_cast<std::size_t>(structure.n));
  std::vector<double> triangles = below;

  /// Adds rows [row_begin, row_begin + rows of the view) of panel p.
  void add(Index p, Index row_begin, ConstMatrixView values) {
    const auto rows = structure.rows(p).subspan(static_cast<std::size_t>(row_begin));
    for (Index j = 0; j < values.columns; ++j) {
      if (signs.is_null(structure.panel_begin[p] + j)) continue;
      for (Index i = std::clamp(j - row_begin, 0, values.rows); i < values.rows; ++i) {
        auto& sums = row_begin + i < values.columns ? triangles : below;
        sums[rows[i]] += values(i, j) * values(i, j);
      }
    }
  }

  /// Turns the sums of triangles back to the order of the panels, and adds them to the other sums.
  std::vector<double> total() && {
    const BlockPivots& pivots = signs.chosen;
    for (Index k = 0; !pivots.empty() && k < structure.n; ++k) {
      if (pivots.rotation[k].sine == 0) continue;
      triangles[k] += triangles[k + 1];
      triangles[k + 1] = triangles[k];
    }
    for (Index p = 0; p < structure.panels(); ++p) {
      pivots.undo_swaps(structure.panel_begin[p],
                        {&triangles[structure.panel_begin[p]], 1, structure.width(p), 1});
    }
    for (std::size_t k = 0; k < below.size(); ++k) below[k] += triangles[k];
    return std::move(below);
  }
};

}  // namespace

namespace {

/// Calls f(panel, first row, values) for the panels and the tiles of panels that this process has.
template <class F>
void for_each_view(const PartView& part, NumericFactor& factor, F f) {
  const auto& [structure, ownership] = part;
  for (Index p = 0; p < ownership.shared_begin; ++p) {
    const Index height = structure.height(p);
    f(p, Index{0},
      ConstMatrixView{factor.values().data() + structure.value_begin[p], height, structure.width(p),
                      height});
  }
  const Tiling& tiling = factor.plan().graph.tiling;
  for (Count t = tiling.tile_begin[ownership.shared_begin]; t < std::ssize(tiling.tile); ++t) {
    const Tile& tile = tiling.tile[t];
    const DataView view = factor.data()[t];
    const auto values = view.as<double>();
    if (values.data != nullptr) f(tile.panel, tile.row_begin, ConstMatrixView(values));
  }
}

}  // namespace

std::vector<double> row_squares(const PartView& part, NumericFactor& factor) {
  RowSquares squares{part.structure, factor.context().signs};
  for_each_view(part, factor, [&](Index panel, Index row_begin, ConstMatrixView values) {
    squares.add(panel, row_begin, values);
  });
  return std::move(squares).total();
}

std::vector<double> diagonal_of(const PartView& part, NumericFactor& factor) {
  std::vector<double> diagonal(static_cast<std::size_t>(part.structure.n));
  for_each_view(part, factor, [&](Index panel, Index row_begin, ConstMatrixView values) {
    const Index end = std::min(row_begin + values.rows, values.columns);
    for (Index j = row_begin; j < end; ++j) {
      diagonal[part.structure.panel_begin[panel] + j] = values(j - row_begin, j);
    }
  });
  return diagonal;
}

std::vector<double> row_norms(const PivotSigns& signs, std::span<const double> squares,
                              std::span<const std::uint8_t> replaced) {
  const double of_change =
      std::sqrt(2 * BlockPivots::least / std::numeric_limits<double>::epsilon());
  std::vector<double> norms(squares.size());
  for (std::size_t k = 0; k < squares.size(); ++k) {
    norms[k] = std::sqrt(squares[k]);
    if (!signs.chosen.empty() && replaced[k] != 0) norms[k] = std::max(norms[k], of_change);
  }
  return norms;
}

double growth(double square, double magnitude) { return magnitude > 0 ? square / magnitude : 1; }

void describe_pivots(const SignedPivotFacts& facts, Report& report) {
  constexpr std::size_t most_columns_listed = 1000;
  const Inertia inertia = facts.inertia();
  const bool exact = inertia.status == Inertia::Status::exact;
  report.factor.inertia = {inertia.positive, inertia.negative, inertia.zero,
                           exact ? "exact" : "uncertain"};
  report.factor.perturbed = static_cast<Index>(facts.replaced.size());
  report.factor.perturbed_columns = facts.replaced;
  if (facts.replaced.size() > most_columns_listed) {
    report.factor.perturbed_columns.resize(most_columns_listed);
  }
  report.factor.growth = facts.growth;
}

}  // namespace espalier::internal
