// SPDX-License-Identifier: BSD-3-Clause
// Runs Eigen's tests of sparse solvers on Espalier, for all storage orders, indices and triangles.
// The tests are in the header sparse_solver.h of Eigen's source package. Like Eigen's tests, this
// file is compiled for one part at a time.
#include <espalier/eigen.hpp>

#include "sparse_solver.h"

/// EspalierLDLT for positive definite matrices of any size, which are all matrices of these tests.
template <class Matrix, int UpLo>
class PositiveLDLT : public espalier::EspalierLDLT<Matrix, UpLo> {
  using Base = espalier::EspalierLDLT<Matrix, UpLo>;

 public:
  PositiveLDLT() = default;
  explicit PositiveLDLT(const Matrix& a) { compute(a); }
  void analyzePattern(const Matrix& a) {
    this->setSigns(Eigen::VectorXi::Ones(a.rows()));
    Base::analyzePattern(a);
  }
  void compute(const Matrix& a) {
    analyzePattern(a);
    this->factorize(a);
  }
};

template <template <class, int> class Solver, class Matrix>
void check_solver() {
  Solver<Matrix, Eigen::Lower> lower;
  Solver<Matrix, Eigen::Upper> upper;
  check_sparse_spd_solving(lower);
  check_sparse_spd_solving(upper);
  check_sparse_spd_determinant(lower);
  check_sparse_spd_determinant(upper);
}

template <int Order, class StorageIndex>
void check_solvers() {
  using Matrix = Eigen::SparseMatrix<double, Order, StorageIndex>;
  check_solver<espalier::EspalierLLT, Matrix>();
  check_solver<PositiveLDLT, Matrix>();
}

EIGEN_DECLARE_TEST(espalier) {
  const espalier::Runtime running =
      espalier::Runtime::shared();  // keeps StarPU running between solvers
  CALL_SUBTEST_1((check_solvers<Eigen::ColMajor, int>()));
  CALL_SUBTEST_2((check_solvers<Eigen::ColMajor, long>()));
  CALL_SUBTEST_3((check_solvers<Eigen::RowMajor, int>()));
  CALL_SUBTEST_4((check_solvers<Eigen::RowMajor, long>()));
}
