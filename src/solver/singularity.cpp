// SPDX-License-Identifier: BSD-3-Clause
#include "solver/singularity.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

namespace {

/// Maximum norm of the residual of a regular matrix.
constexpr double accepted_residual = 1e-2;
constexpr Index most_steps = 40;

/// Sets x to the solution of S A S x = v by the factor.
void solve_scaled(const ScaledSystem& system, std::span<const double> v, std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = v[i] / system.scale[i];
  system.solve(x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] /= system.scale[i];
}

}  // namespace

std::vector<double> random_numbers(std::size_t n) {
  std::mt19937 random;
  std::uniform_real_distribution<double> entries(-1, 1);
  std::vector<double> vector(n);
  std::ranges::generate(vector, [&] { return entries(random); });
  return vector;
}

bool is_singular(const ScaledSystem& system, std::vector<double> c) {
  std::vector<double> x(c.size());
  const auto product = [&](std::span<const double> v, std::span<double> y) {
    solve_scaled(system, v, x);
    system.product(x, y);
  };
  const std::vector<double> v = gmres(product, c, accepted_residual / 2, most_steps, system.sum);
  std::vector<double> y(x.size());
  product(v, y);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] -= y[i];
  return !(norm2(c, system.sum) <= accepted_residual);  // true for NaN
}

bool is_singular(const FactorData& data) {
  const SparseMatrixView scaled(*data.analysis->pattern, data.scaled.values);
  const auto solve = [&](std::span<double> x) {
    data.state.numeric->submit_solve({x.data(), x.data(), 1});
    data.state.numeric->wait();
  };
  const auto product = [&](std::span<const double> x, std::span<double> y) {
    multiply(scaled, x, y);
  };
  return is_singular({data.scaled.factors, solve, product},
                     random_numbers(data.scaled.factors.size()));
}

}  // namespace espalier::internal
