// SPDX-License-Identifier: BSD-3-Clause
#include "commands/shifted_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/scalar.hpp"
#include "espalier/error.hpp"
#include "launch/ranks.hpp"
#include "matrix/matrix_part.hpp"
#include "ordering/ordering.hpp"

namespace espalier::internal {

namespace {

std::optional<Matrix> load_b(const SolveSettings& settings) {
  if (settings.shift_matrix.empty()) return std::nullopt;
  return Matrix::load_indefinite(settings.shift_matrix);
}

/// Returns A with all entries of B. Then all shifted matrices share its pattern.
Matrix load_a(const SolveSettings& settings, const std::optional<Matrix>& b) {
  Matrix a = load(settings);
  if (!b) return a;
  if (b->size() != a.size()) {
    throw InputError(fmt::format("{}: the matrix of --shift-matrix has {} rows, but {} has {}",
                                 settings.shift_matrix, b->size(), settings.matrix, a.size()));
  }
  return a.shifted(0, *b);
}

}  // namespace

ShiftedMatrices::ShiftedMatrices(const SolveSettings& settings)
    : settings_(settings), b_(load_b(settings)), a_(load_a(settings, b_)) {}

Index ShiftedMatrices::count() const {
  return std::max<Index>(1, static_cast<Index>(settings_.shifts.size()));
}

Count ShiftedMatrices::bytes_beside() const {
  if (settings_.shifts.empty()) return 0;
  // A new matrix is made while the factor still has the one before.
  const Count values = scalar.bytes_of(a_.entries()) * std::min<Index>(count(), 2);
  if (!b_) return values;
  constexpr Count an_index = sizeof(Index);
  constexpr Count an_offset = sizeof(Count);
  return values + scalar.bytes_of(b_->entries()) + b_->entries() * an_index +
         b_->size() * an_offset;
}

Matrix ShiftedMatrices::matrix(Index k) const {
  if (settings_.shifts.empty()) return a_;
  return b_ ? a_.shifted(settings_.shifts[k], *b_) : a_.shifted(settings_.shifts[k]);
}

std::string name_of_matrix(const SolveSettings& settings, Index k) {
  if (settings.shifts.empty()) return settings.matrix;
  const double shift = settings.shifts[k];
  return fmt::format("{} {} {} {}", settings.matrix, shift < 0 ? '+' : '-', std::abs(shift),
                     settings.shift_matrix.empty() ? "I" : settings.shift_matrix);
}

ShiftReport shift_report(const SolveSettings& settings, Index k, const Report& report) {
  const std::vector<double>& runs = report.factor.runs;
  const std::size_t own = std::min(runs.size(), static_cast<std::size_t>(settings.repeat));
  return {.shift = settings.shifts[k],
          .factor_seconds = *std::min_element(runs.end() - static_cast<Count>(own), runs.end()),
          .solve_seconds = report.solve.seconds,
          .backward_error = report.solution.backward_error,
          .inertia = report.factor.inertia,
          .perturbed = report.factor.perturbed,
          .growth = report.factor.growth};
}

void expect_accurate_shifts(const SolveSettings& settings, const std::vector<ShiftReport>& shifts) {
  for (Index k = 0; k < std::ssize(shifts); ++k) {
    expect_accurate(name_of_matrix(settings, k), shifts[k].backward_error);
  }
}

void expect_shiftable(const SolveSettings& settings) {
  if (settings.shifts.empty()) {
    if (settings.shift_matrix.empty()) return;
    throw UsageError("--shift-matrix needs --shift; add it, or leave out --shift-matrix");
  }
  if (is_in_parts(settings.matrix)) {
    throw UsageError("--shift needs the matrix in one file; join its parts, or leave out --shift");
  }
  if (settings.shifts.size() == 1) return;
  if (launched_ranks() > 1 || settings.analysis.ordering == ptscotch) {
    throw UsageError(
        "several ranks factor with one --shift per run; give one shift, or use one process");
  }
  if (!settings.out.empty()) {
    throw UsageError("--out has the solution of one --shift; give one shift, or leave out --out");
  }
}

}  // namespace espalier::internal
