// SPDX-License-Identifier: BSD-3-Clause
#include "doors/python/factor.hpp"

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

}  // namespace

PythonFactor::PythonFactor(const CompressedColumns& arrays, std::shared_ptr<const void> owner,
                           const std::vector<std::string>& options, bool keep_order)
    : options_(read_options(options)),
      pattern_owner_(std::move(owner)),
      pattern_(Matrix::borrow(arrays)),
      analysis_(pattern_, analysis_options(options_.analysis, keep_order)) {}

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

Index PythonFactor::factorize(std::span<const double> values, std::shared_ptr<const void> owner) {
  expect_own_runtime();
  const std::lock_guard lock(mutex_);
  const Matrix matrix = pattern_.borrow_values(values);
  Factor& factor = prepared_factor();
  values_owner_.swap(owner);  // so the last one goes when the lock is free
  return factor.factorize(matrix).bad_column;
}

double PythonFactor::solve(std::span<const double> b, std::span<double> x) {
  const std::lock_guard lock(mutex_);
  Factor& factor = made_factor();
  const Index n = analysis_.size();
  if (b.size() != x.size()) throw UsageError("b and x have different sizes");
  const Index count = n == 0 ? 0 : static_cast<Index>(std::ssize(b) / n);
  const VectorBlocks blocks = vectors_in_arrays(n, b.data(), n, x.data(), n);
  return factor.solve(count, blocks, options_.solve).backward_error;
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

Determinant PythonFactor::determinant() {
  const std::lock_guard lock(mutex_);
  return made_factor().determinant();
}

std::string PythonFactor::report() {
  expect_own_runtime();
  const std::lock_guard lock(mutex_);
  return to_json(factor_ ? factor_->report() : analysis_.report());
}

std::string PythonFactor::page() {
  expect_own_runtime();
  const std::lock_guard lock(mutex_);
  return factor_ ? to_html(factor_->report(), factor_->schedule())
                 : to_html(analysis_.report(), {});
}

Factor& PythonFactor::prepared_factor() {
  if (!runtime_) runtime_ = std::make_unique<RuntimeUse>(options_.runtime);
  if (!factor_) factor_ = std::make_unique<Factor>(runtime_->runtime(), analysis_, options_.factor);
  return *factor_;
}

Factor& PythonFactor::made_factor() {
  expect_own_runtime();
  if (!factor_) throw UsageError("the matrix is not factored yet; call factorize() first");
  return *factor_;
}

}  // namespace espalier::internal
