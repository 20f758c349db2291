// SPDX-License-Identifier: BSD-3-Clause
#include "solver/local_system.hpp"

namespace espalier::internal {

double LocalSystem::norm() const { return norm_inf(matrix()); }

void LocalSystem::solve(std::span<const double> b, std::span<double> x, Index columns) {
  data_.state.numeric->submit_solve({b.data(), x.data(), columns});
  wait_for(data_);
}

double LocalSystem::residual(const RefinedVectors& vectors, double norm, Index columns) const {
  return residual_error(matrix(), norm, vectors.x, vectors.b, vectors.r, columns);
}

double LocalSystem::error(std::span<const double> b, std::span<double> x, double norm,
                          Index columns) const {
  return residual_error(matrix(), norm, x, b, columns);
}

}  // namespace espalier::internal
