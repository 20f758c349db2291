// SPDX-License-Identifier: BSD-3-Clause
#include <espalier/eigen.hpp>

int main() {
  Eigen::SparseMatrix<double> a(3, 3);
  a.setIdentity();
  const espalier::EspalierLLT<Eigen::SparseMatrix<double>> solver(4 * a);
  return solver.info() == Eigen::Success && solver.determinant() == 64 ? 0 : 1;
}
