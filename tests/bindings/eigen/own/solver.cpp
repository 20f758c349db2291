// SPDX-License-Identifier: BSD-3-Clause
// Runs Eigen's tests of sparse solvers on Espalier, for all storage orders, indices and triangles.
// The tests are in the header sparse_solver.h of Eigen's source package. Like Eigen's tests, this
// file is compiled for one part at a time.
#include <espalier/eigen.hpp>

#include "sparse_solver.h"

template <int Order, class StorageIndex>
void check_solver() {
  using Matrix = Eigen::SparseMatrix<double, Order, StorageIndex>;
  espalier::EspalierLLT<Matrix, Eigen::Lower> lower;
  espalier::EspalierLLT<Matrix, Eigen::Upper> upper;
  check_sparse_spd_solving(lower);
  check_sparse_spd_solving(upper);
  check_sparse_spd_determinant(lower);
  check_sparse_spd_determinant(upper);
}

EIGEN_DECLARE_TEST(espalier) {
  const espalier::Runtime running =
      espalier::Runtime::shared();  // keeps StarPU running between solvers
  CALL_SUBTEST_1((check_solver<Eigen::ColMajor, int>()));
  CALL_SUBTEST_2((check_solver<Eigen::ColMajor, long>()));
  CALL_SUBTEST_3((check_solver<Eigen::RowMajor, int>()));
  CALL_SUBTEST_4((check_solver<Eigen::RowMajor, long>()));
}
