// SPDX-License-Identifier: BSD-3-Clause
#include <espalier/espalier.hpp>

/// Solves a small system whose right-hand side is A·(1,...,1). Succeeds if the answer is accurate.
int main() {
  const auto matrix = espalier::Matrix::load("laplace2d:20");
  const std::vector<double> ones(static_cast<std::size_t>(matrix.size()), 1.0);
  const espalier::Runtime runtime;
  espalier::Factor factor(runtime, espalier::Analysis(matrix));
  if (!factor.factorize(matrix).ok()) return 1;
  const auto solution = factor.solve(matrix.multiply(ones));
  return solution.backward_error < 1e-14 && solution.x.size() == ones.size() ? 0 : 1;
}
