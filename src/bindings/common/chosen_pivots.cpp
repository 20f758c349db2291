// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "espalier/bindings.hpp"

namespace espalier {

void match_for_pivots(Options& options) {
  const bool is_given = std::ranges::any_of(
      options.given, [](const std::string& text) { return text.starts_with("matching="); });
  if (!is_given) options.analysis.matching = true;
}

Index singular_column(Factor& factor, const Matrix& matrix, const FactorStatus& status) {
  if (!status.ok()) return status.bad_column;
  // Right-hand sides have entries of size 1, and a singular matrix leaves a residual of that size.
  constexpr double accepted_residual = 1e-2;
  constexpr SolveOptions usual{.refinement_steps = 5};
  const std::vector<Index> replaced = factor.replaced_pivots();
  if (replaced.empty()) return -1;
  std::mt19937 random;  // always the same numbers
  std::uniform_real_distribution<double> entries(-1, 1);
  std::vector<double> b(static_cast<std::size_t>(matrix.size()));
  std::ranges::generate(b, [&] { return entries(random); });
  const std::vector<double> product = matrix.multiply(factor.solve(b, 1, usual).x);
  const auto is_close = [](double to, double entry) {
    return std::abs(to - entry) <= accepted_residual;  // false for NaN
  };
  return std::ranges::equal(b, product, is_close) ? -1 : replaced.front();
}

std::string singular_pivot(Index column, Index base) {
  return "the matrix is singular, or nearly so: the pivot of column " +
         std::to_string(Count{column} + base) + ", counted from " + std::to_string(base) +
         ", is too small, or not finite";
}

}  // namespace espalier
