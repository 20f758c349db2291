// SPDX-License-Identifier: BSD-3-Clause
// Factors a sequence of matrices A + shift I with one pattern, as a time-stepping or Newton method
// does.
#include <espalier/espalier.hpp>
#include <iostream>
#include <vector>

namespace {

/// Returns A + shift I. The diagonal entry is the first of each column.
espalier::Matrix shifted(const espalier::Matrix& a, double shift) {
  std::vector<double> value(a.values().begin(), a.values().end());
  for (espalier::Index j = 0; j < a.size(); ++j) value[a.column_begin()[j]] += shift;
  return a.with_values(std::move(value));  // with the same pattern
}

}  // namespace

int main() {
  const espalier::Matrix a = espalier::Matrix::load("elasticity3d:10x10x10");
  const std::vector<double> b(a.size(), 1.0);

  // If more factorizations are expected, the ordering may take more time.
  espalier::AnalysisOptions options;
  options.factorizations = 5;
  const espalier::Analysis analysis(a, options);

  // The constructor allocates memory and creates tasks. Each factorize() computes a new L in this
  // memory.
  const espalier::Runtime runtime;
  espalier::Factor factor(runtime, analysis);
  for (int step = 0; step < 5; ++step) {
    if (!factor.factorize(shifted(a, 0.1 * step)).ok()) return 4;
    const espalier::Solution solution = factor.solve(b);
    std::cout << "step " << step << ": backward error " << solution.backward_error << '\n';
    if (!(solution.backward_error < 1e-12)) return 1;
  }
  for (const double seconds : factor.report().factor.runs) std::cout << seconds << " s\n";
  return 0;
}
