// SPDX-License-Identifier: BSD-3-Clause
// Eigen's own tests of sparse solvers, of the header sparse_solver.h in its source package, on
// Espalier: all storage orders, indices and triangles. It is compiled for one part at a time, as
// Eigen's tests are.
#include <espalier/eigen.hpp>

#include "sparse_solver.h"

template <int Order, class StorageIndex>
void check_solver() {
  using Matrix = Eigen::SparseMatrix<double, Order, StorageIndex>;
  espalier::CholeskySolver<Matrix, Eigen::Lower> lower;
  espalier::CholeskySolver<Matrix, Eigen::Upper> upper;
  check_sparse_spd_solving(lower);
  check_sparse_spd_solving(upper);
  check_sparse_spd_determinant(lower);
  check_sparse_spd_determinant(upper);
}

EIGEN_DECLARE_TEST(espalier) {
  const espalier::Runtime running =
      espalier::Runtime::shared();  // while one solver follows another
  CALL_SUBTEST_1((check_solver<Eigen::ColMajor, int>()));
  CALL_SUBTEST_2((check_solver<Eigen::ColMajor, long>()));
  CALL_SUBTEST_3((check_solver<Eigen::RowMajor, int>()));
  CALL_SUBTEST_4((check_solver<Eigen::RowMajor, long>()));
}
