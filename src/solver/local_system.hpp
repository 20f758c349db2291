// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/factor_data.hpp"
#include "solver/linear_system.hpp"

namespace espalier::internal {

/// The linear system of a single process. Its vectors are whole, in the numbering of A.
class LocalSystem final : public LinearSystem {
 public:
  /// The data must outlive the object.
  explicit LocalSystem(FactorData& data) : data_(data) {}
  /// The system of a matrix with these values and the pattern of the factored matrix.
  LocalSystem(FactorData& data, std::span<const double> values) : data_(data), values_(values) {}

  Index processes() const override { return 1; }
  Index least_of_all(Index own) const override { return own; }
  void agree(const std::function<void()>& check) const override { check(); }
  double norm() const override;
  void solve(std::span<const double> b, std::span<double> x, Index columns) override;
  double residual(const RefinedVectors& vectors, double norm, Index columns) const override;
  double error(std::span<const double> b, std::span<double> x, double norm,
               Index columns) const override;

 private:
  /// Returns the factored matrix, or the one with the given values.
  SparseMatrixView matrix() const {
    return {*data_.analysis->pattern, values_.empty() ? data_.matrix->value : values_};
  }

  FactorData& data_;
  std::span<const double> values_;
};

}  // namespace espalier::internal
