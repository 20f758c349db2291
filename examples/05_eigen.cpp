// SPDX-License-Identifier: BSD-3-Clause
// Replaces a sparse solver of Eigen by Espalier. Only the type and the header must change;
// setOption() is optional.
#include <Eigen/SparseCore>
#include <espalier/eigen.hpp>
#include <iostream>
#include <vector>

namespace {

/// Returns the lower triangle of the Laplacian of a grid with `side` x `side` points.
Eigen::SparseMatrix<double> laplacian(int side) {
  std::vector<Eigen::Triplet<double>> entries;
  const int n = side * side;
  for (int j = 0; j < n; ++j) {
    entries.emplace_back(j, j, 4);
    if (j % side + 1 < side) entries.emplace_back(j + 1, j, -1);
    if (j + side < n) entries.emplace_back(j + side, j, -1);
  }
  Eigen::SparseMatrix<double> a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

}  // namespace

int main() {
  Eigen::SparseMatrix<double> a = laplacian(100);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.rows());

  espalier::EspalierLLT<Eigen::SparseMatrix<double>> solver;
  solver.setOption("ordering", "amd").setOption("workers", "2");
  solver.analyzePattern(a);  // once per pattern
  for (int step = 1; step <= 3; ++step) {
    solver.factorize(a);  // reuses the memory
    if (solver.info() != Eigen::Success) {
      std::cerr << solver.lastErrorMessage() << '\n';
      return 1;
    }
    const Eigen::VectorXd x = solver.solve(b);
    const Eigen::VectorXd residual = b - a.selfadjointView<Eigen::Lower>() * x;
    std::cout << "residual " << residual.norm() / b.norm() << ", log determinant "
              << solver.logDeterminant() << '\n';
    if (residual.norm() > 1e-10 * b.norm()) return 1;
    a *= 2;
  }
  return 0;
}
