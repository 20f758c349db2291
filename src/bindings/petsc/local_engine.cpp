// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bindings/common/stored_triangle.hpp"
#include "bindings/petsc/engine.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

class LocalEngine : public Engine {
 public:
  explicit LocalEngine(const Options& options)
      : options_(options), runtime_(Runtime::shared(options.runtime)) {}

  void analyze(UpperRows&& rows) override {
    factor_.reset();
    analysis_.reset();
    rows_ = std::move(rows);
    std::vector<double> values = std::exchange(rows_.value, {});
    CompressedColumns arrays;
    arrays.n = rows_.n;
    arrays.column_begin = std::span<const Count>(rows_.row_begin);
    arrays.row = rows_.column;
    pattern_ = Matrix::borrow(arrays);
    const bool uses_values = options_.analysis.matching;
    analysis_.emplace(uses_values ? pattern_->with_values(std::move(values)) : *pattern_,
                      options_.analysis);
  }

  FactorStatus factorize(UpperRows&& rows) override {
    if (!std::ranges::equal(rows.row_begin, pattern_->column_begin()) ||
        !std::ranges::equal(rows.column, pattern_->rows())) {
      throw UsageError(
          "the matrix has other nonzero entries than the analyzed matrix; assemble it again, so "
          "that PETSc notices the change");
    }
    return factorize(pattern_->with_values(std::move(rows.value)));
  }

  bool factorize(const WholeRows& rows, FactorStatus& status) override {
    const StoredTriangle arrays(rows.row_begin, rows.column, false);
    const auto matrix =
        with_values_of(arrays, rows.value, *pattern_, pattern_->column_begin(), pattern_->rows());
    if (!matrix) return false;
    status = factorize(*matrix);
    return true;
  }

  double solve(const LocalVectors& v) override {
    return solve_in_arrays(*factor_, {pattern_->size(), v.count, v.b, v.ldb, v.x, v.ldx},
                           options_.solve);
  }

  Inertia inertia() const override { return factor_->inertia(); }
  Report report() const override { return factor_ ? factor_->report() : analysis_->report(); }
  Count factor_entries() const override { return analysis_->factor_entries(); }

 private:
  FactorStatus factorize(const Matrix& matrix) {
    if (!factor_) factor_.emplace(runtime_, *analysis_, options_.factor);
    FactorStatus status = factor_->factorize(matrix);
    if (status.ok()) status.bad_column = factor_->singular_column();
    return status;
  }

  Options options_;
  Runtime runtime_;
  UpperRows rows_;                   ///< analyzed pattern
  std::optional<Matrix> pattern_{};  ///< uses the arrays of rows_
  std::optional<Analysis> analysis_{};
  std::optional<Factor> factor_{};  ///< destroyed before the runtime
};

}  // namespace

std::unique_ptr<Engine> local_engine(const Options& options) {
  return std::make_unique<LocalEngine>(options);
}

}  // namespace espalier::internal
