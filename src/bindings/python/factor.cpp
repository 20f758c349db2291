// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/python/factor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "espalier/error.hpp"

namespace espalier::internal {

Options read_options(const std::vector<std::string>& options) {
  Options result;
  for (const std::string& option : options) result.set(option);
  return result;
}

namespace {

AnalysisOptions analysis_options(AnalysisOptions options, bool keep_order) {
  options.refine_partition = options.refine_partition && !keep_order;
  return options;
}

Analysis analysis_of(const Matrix& matrix, const AnalysisOptions& options,
                     const PythonFactor* previous, std::span<const Index> previous_column) {
  if (previous == nullptr) return Analysis(matrix, options);
  return {matrix, options, previous->analysis(), previous_column};
}

CompressedColumns arrays_of(std::span<const Count> begin, std::span<const Index> row, bool upper) {
  if (begin.empty()) throw UsageError("the offsets of the columns have no entry");
  CompressedColumns arrays;
  arrays.n = static_cast<Index>(begin.size() - 1);
  arrays.column_begin = begin;
  arrays.row = row;
  arrays.triangle = upper ? Triangle::upper : Triangle::lower;
  return arrays;
}

}  // namespace

PythonFactor::PythonFactor(std::span<const Count> begin, std::span<const Index> row,
                           std::span<const double> value, bool upper,
                           std::shared_ptr<const void> owner,
                           const std::vector<std::string>& options, bool keep_order,
                           const PythonFactor* previous, std::span<const Index> previous_column)
    : options_(read_options(options)),
      arrays_owner_(std::move(owner)),
      begin_(begin),
      row_(row),
      upper_(upper),
      pattern_(Matrix::borrow(arrays_of(begin, row, upper))),
      analysis_(analysis_of(value.empty() ? pattern_ : pattern_.borrow_values(value),
                            analysis_options(options_.analysis, keep_order), previous,
                            previous_column)) {}

PythonFactor::~PythonFactor() {
  if (!forked_from_runtime()) return;
  static_cast<void>(factor_.release());
  static_cast<void>(runtime_.release());
}

double PythonFactor::prepare() {
  expect_own_runtime();
  const std::lock_guard lock(mutex_);
  return prepared_factor().report().symbolic.predicted_factor_seconds;
}

void PythonFactor::set_signs(std::vector<signed char>&& signs) {
  const std::lock_guard lock(mutex_);
  if (factor_) made_factor().set_signs(signs);
  signs_ = std::move(signs);
}

Index PythonFactor::factorize(const Matrix& matrix) {
  expect_own_runtime();
  const std::lock_guard lock(mutex_);
  Factor& factor = prepared_factor();
  matrix_ = matrix;
  const FactorStatus status = factor.factorize(matrix);
  return status.ok() ? factor.singular_column() : status.bad_column;
}

std::vector<double> PythonFactor::values() {
  const std::lock_guard lock(mutex_);
  if (!matrix_) throw UsageError("no matrix has been factored; call factorize() first");
  const std::span<const double> known = matrix_->values();
  if (!upper_) return {known.begin(), known.end()};
  // Column j of the upper triangle is row j of the lower triangle. The matrix holds the lower
  // triangle by columns, and each of these columns is read from its first entry to its last.
  std::vector<double> result(row_.size());
  const auto begin = matrix_->column_begin();
  std::vector<Count> next(begin.begin(), begin.end() - 1);
  std::ranges::transform(row_, result.begin(), [&](Index column) { return known[next[column]++]; });
  return result;
}

double PythonFactor::solve(std::span<const double> b, std::span<double> x) {
  const std::lock_guard lock(mutex_);
  Factor& factor = made_factor();
  const Index n = analysis_.size();
  const Index count = n == 0 ? 0 : static_cast<Index>(std::ssize(b) / n);
  return factor.solve(b, x, count, options_.solve).backward_error;
}

void PythonFactor::solve_part(System system, std::span<const double> b, std::span<double> x) {
  const std::lock_guard lock(mutex_);
  Factor& factor = made_factor();
  const Count n = analysis_.size();
  factor.solve_part(system, b, x, n == 0 ? 0 : static_cast<Index>(std::ssize(b) / n));
}

std::vector<double> PythonFactor::diagonal() {
  const std::lock_guard lock(mutex_);
  return made_factor().diagonal();
}

LowerFactor PythonFactor::lower(ExplicitZeros zeros) {
  const std::lock_guard lock(mutex_);
  return made_factor().lower(zeros);
}

Inertia PythonFactor::inertia() {
  const std::lock_guard lock(mutex_);
  return made_factor().inertia();
}

double PythonFactor::growth() {
  const std::lock_guard lock(mutex_);
  return made_factor().growth();
}

std::vector<Index> PythonFactor::replaced_pivots() {
  const std::lock_guard lock(mutex_);
  return made_factor().replaced_pivots();
}

Determinant PythonFactor::determinant() {
  const std::lock_guard lock(mutex_);
  return made_factor().determinant();
}

std::string PythonFactor::report() {
  expect_own_runtime();
  const std::lock_guard lock(mutex_);
  return to_json(factor_ ? factor_->report() : analysis_.report());
}

std::string PythonFactor::summary() {
  // A forked process must not lock the mutex, because a thread that it lacks may hold it.
  return forked_from_runtime() ? to_json(analysis_.report()) : report();
}

std::string PythonFactor::page() {
  expect_own_runtime();
  const std::lock_guard lock(mutex_);
  return factor_ ? to_html(factor_->report(), factor_->schedule())
                 : to_html(analysis_.report(), {});
}

Factor& PythonFactor::prepared_factor() {
  if (!runtime_) runtime_ = std::make_unique<RuntimeUse>(options_.runtime);
  if (!factor_) {
    auto made = std::make_unique<Factor>(runtime_->runtime(), analysis_, options_.factor);
    if (signs_) made->set_signs(*signs_);
    factor_ = std::move(made);
  }
  return *factor_;
}

Factor& PythonFactor::made_factor() {
  expect_own_runtime();
  if (!factor_) throw UsageError("the matrix is not factored yet; call factorize() first");
  return *factor_;
}

}  // namespace espalier::internal
