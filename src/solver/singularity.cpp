// SPDX-License-Identifier: BSD-3-Clause
#include "solver/singularity.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "solver/gmres.hpp"

namespace espalier::internal {

namespace {

/// Maximum norm of the residual of a regular matrix.
constexpr double accepted_residual = 1e-2;
constexpr Index most_steps = 40;

/// Sets x to the solution of S A S x = v by the factor.
void solve_scaled(const FactorData& data, std::span<const double> v, std::span<double> x) {
  const std::vector<double>& scale = data.scaled.factors;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = v[i] / scale[i];
  data.state.numeric->submit_solve({x.data(), x.data(), 1});
  data.state.numeric->wait();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] /= scale[i];
}

std::vector<double> random_vector(std::size_t n) {
  std::mt19937 random;  // always the same numbers
  std::uniform_real_distribution<double> entries(-1, 1);
  std::vector<double> vector(n);
  std::ranges::generate(vector, [&] { return entries(random); });
  return vector;
}

}  // namespace

bool is_singular(const FactorData& data) {
  const SparseMatrixView scaled(*data.analysis->pattern, data.scaled.values);
  std::vector<double> x(data.scaled.factors.size());
  const auto product = [&](std::span<const double> v, std::span<double> y) {
    solve_scaled(data, v, x);
    multiply(scaled, x, y);
  };
  std::vector<double> c = random_vector(x.size());
  const std::vector<double> v = gmres(product, c, accepted_residual / 2, most_steps);
  std::vector<double> y(x.size());
  product(v, y);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] -= y[i];
  return !(norm2(c) <= accepted_residual);  // true for NaN
}

}  // namespace espalier::internal
