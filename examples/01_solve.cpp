// SPDX-License-Identifier: BSD-3-Clause
// Solves A x = b for a matrix from a file or a generator, and prints the backward error.
// Usage: 01_solve [MATRIX]
#include <espalier/espalier.hpp>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  try {
    const espalier::Matrix a = espalier::Matrix::load(argc > 1 ? argv[1] : "laplace3d:20");

    // A right-hand side whose solution is known: x = (1, ..., 1).
    const std::vector<double> ones(a.size(), 1.0);
    const std::vector<double> b = a.multiply(ones);

    // The structure of L needs no values; one analysis serves all matrices with this pattern.
    const espalier::Analysis analysis(a);
    std::cout << a.name() << ": n " << a.size() << ", nnz(L) " << analysis.factor_entries() << '\n';

    // StarPU runs as long as this object exists.
    const espalier::Runtime runtime;
    espalier::Factor factor(runtime, analysis);

    // The status reports a matrix that is not positive definite; there is no exception.
    const espalier::FactorStatus status = factor.factorize(a);
    if (!status.ok()) {
      std::cerr << "not positive definite at column " << status.bad_column << '\n';
      return 4;
    }

    const espalier::Solution solution = factor.solve(b);
    std::cout << "backward error " << solution.backward_error << '\n';
    return solution.backward_error < 1e-12 ? 0 : 1;
  } catch (const espalier::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
