// SPDX-License-Identifier: BSD-3-Clause
#include "support/solver_oracle.hpp"

#include <sanitizer/lsan_interface.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "espalier/espalier.hpp"

namespace espalier::fuzz {

using internal::SparseMatrix;
using internal::SparseMatrixView;

namespace {

using Real = long double;
using Dense = std::vector<Real>;  ///< by columns, both triangles

/// Outside of these bounds, values overflow during the computation or lose digits as denormal
/// numbers.
constexpr double least_diagonal = 1e-280;
constexpr double least_of_solve = 1e-140;
constexpr double most_of_solve = 1e140;

double rounding(Index n) {
  return 4.0 * (n + 1) * (n + 1) * std::numeric_limits<double>::epsilon();
}

template <class Visit>
void for_entries(const SparseMatrixView& a, Visit visit) {
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      visit(a.pattern.row[k], j, a.value[k]);
    }
  }
}

Dense scaled(const SparseMatrixView& a, const std::vector<Real>& d) {
  const auto n = static_cast<std::size_t>(a.pattern.n);
  Dense h(n * n, 0);
  for_entries(a, [&](Index i, Index j, double value) {
    h[i + j * n] = h[j + i * n] = static_cast<Real>(value) / d[i] / d[j];
  });
  return h;
}

bool has_factor(Dense h, std::size_t n, Real shift) {
  for (std::size_t k = 0; k < n; ++k) h[k + k * n] += shift;
  for (std::size_t k = 0; k < n; ++k) {
    if (!(h[k + k * n] > 0)) return false;
    const Real pivot = std::sqrt(h[k + k * n]);
    for (std::size_t i = k; i < n; ++i) h[i + k * n] /= pivot;
    for (std::size_t j = k + 1; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) h[i + j * n] -= h[i + k * n] * h[j + k * n];
    }
  }
  return true;
}

std::vector<double> diagonal_of(const SparseMatrixView& a) {
  std::vector<double> diagonal;
  for (Index j = 0; j < a.pattern.n; ++j) {
    diagonal.push_back(a.value[a.pattern.column_begin[j]]);
  }
  return diagonal;
}

/// StarPU starts once, because a start takes longer than hundreds of small factorizations. Leaks
/// are ignored: StarPU and MPI keep memory for the process, in plugins that are unloaded before the
/// check.
const Runtime& runtime() {
  static const Runtime one_worker = [] {
    // Searches run at the same time, and a calibration of this machine would change their results.
    setenv("STARPU_WORKERS_NOBIND", "1", 0);
    setenv("STARPU_SILENT", "1", 0);
    setenv("XDG_DATA_HOME", "/nonexistent", 1);
    RuntimeOptions options;
    options.workers = 1;
    const __lsan::ScopedDisabler no_leaks;
    return Runtime(options);
  }();
  return one_worker;
}

AnalysisOptions analysis_options(std::uint32_t variant) {
  constexpr std::array orderings{"amd", "natural", "auto", "dissection", "metis", "scotch"};
  AnalysisOptions options;
  options.ordering = orderings[variant % orderings.size()];
  options.workers = 1;
  options.tuned = false;
  options.panel_width = 8;
  options.narrow_panel_width = 8;
  options.refine_partition = variant / 8 % 2 == 0;
  if (variant / 16 % 4 != 0) options.amalgamation = {{2, 4, 8, 16}, {1.0, 0.5, 0.2, 0.05}};
  return options;
}

FactorOptions factor_options(std::uint32_t variant) {
  using Source = DenseKernels::Source;
  FactorOptions options;
  options.granularity = std::array{Granularity::automatic, Granularity::panel, Granularity::tile,
                                   Granularity::block}[variant / 64 % 4];
  options.kernels.from =
      std::array{Source::automatic, Source::own, Source::blas, Source::mixed}[variant / 256 % 4];
  options.deterministic = variant / 1024 % 2 == 1;
  return options;
}

Matrix matrix_of(const SparseMatrix& a) { return {a.pattern.column_begin, a.pattern.row, a.value}; }

/// Returns max|b - A x| / (‖A‖ max|x| + max|b|), from sums in extended precision.
Real error_of(const SparseMatrixView& a, const std::vector<double>& x,
              const std::vector<double>& b) {
  const auto n = static_cast<std::size_t>(a.pattern.n);
  std::vector<Real> residual(b.begin(), b.end());
  std::vector<Real> row_sum(n, 0);
  for_entries(a, [&](Index i, Index j, double value) {
    residual[i] -= static_cast<Real>(value) * x[j];
    row_sum[i] += std::fabs(value);
    if (i == j) return;
    residual[j] -= static_cast<Real>(value) * x[i];
    row_sum[j] += std::fabs(value);
  });
  Real worst = 0, norm = 0, x_max = 0, b_max = 0;
  for (std::size_t i = 0; i < n; ++i) {
    // The negated comparison is true for a NaN as well.
    if (!(std::fabs(residual[i]) <= worst)) worst = std::fabs(residual[i]);
    norm = std::max(norm, row_sum[i]);
    x_max = std::max<Real>(x_max, std::fabs(x[i]));
    b_max = std::max<Real>(b_max, std::fabs(b[i]));
  }
  return worst / (norm * x_max + b_max);
}

void expect_small_error(Factor& factor, const SparseMatrix& a, std::uint32_t variant) {
  std::vector<double> b;
  for (Index i = 0; i < a.pattern.n; ++i) b.push_back(((variant + 7u * i) % 11) - 5.0);
  b[0] += b[0] == 0;
  SolveOptions options;
  options.refinement_steps = static_cast<Index>(variant / 2048 % 2);
  const Solution solution = factor.solve(b, 1, options);
  const Real error = error_of(a, solution.x, b);
  const double bound = rounding(a.pattern.n);
  expect(error <= bound, "a backward error of " +
                             std::to_string(static_cast<double>(error / bound)) +
                             " times the bound of rounding errors");
  expect(std::fabs(solution.backward_error - error) <= bound,
         "a backward error that differs from the reported one");
}

void expect_bad_column(Index column, const std::vector<double>& diagonal) {
  const auto first = std::ranges::find_if(diagonal, [](double d) { return !(d > 0); });
  const auto n = static_cast<Index>(diagonal.size());
  const auto most = std::min<Index>(n - 1, static_cast<Index>(first - diagonal.begin()));
  expect(column >= 0 && column <= most, "a bad column that cannot be it");
}

}  // namespace

Verdict verdict_on(const SparseMatrixView& a) {
  const std::vector<double> diagonal = diagonal_of(a);
  const double least = *std::ranges::min_element(diagonal);
  if (!(least > 0)) return Verdict::indefinite;
  std::vector<Real> d;
  for (const double value : diagonal) d.push_back(std::sqrt(static_cast<Real>(value)));
  const Dense h = scaled(a, d);
  const double shift = rounding(a.pattern.n);
  if (least >= least_diagonal && has_factor(h, d.size(), -shift)) return Verdict::definite;
  return has_factor(h, d.size(), shift) ? Verdict::unclear : Verdict::indefinite;
}

void expect_solved(const SparseMatrix& a, std::uint32_t variant, Tally& tally) {
  const Verdict verdict = verdict_on(a);
  const std::vector<double> diagonal = diagonal_of(a);
  const Matrix matrix = matrix_of(a);
  Factor factor(runtime(), Analysis(matrix, analysis_options(variant)), factor_options(variant));
  const FactorStatus status = factor.factorize(matrix);
  if (!status.ok()) expect_bad_column(status.bad_column, diagonal);
  if (verdict == Verdict::unclear) return tally.note("nearly singular");
  expect(status.ok() == (verdict == Verdict::definite),
         status.ok() ? "a factor of a matrix that is not positive definite"
                     : "no factor of a positive definite matrix, at column " +
                           std::to_string(status.bad_column));
  if (verdict == Verdict::indefinite) return tally.note("not positive definite");
  tally.note("factorized");
  const auto [least, most] = std::ranges::minmax(diagonal);
  if (least < least_of_solve || most > most_of_solve) return;
  expect_small_error(factor, a, variant);
  tally.note("solved");
}

}  // namespace espalier::fuzz
