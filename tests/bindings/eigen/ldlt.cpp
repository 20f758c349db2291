// SPDX-License-Identifier: BSD-3-Clause
// Compares EspalierLDLT with signs with Eigen's dense LU, for every storage order, index and
// triangle, and checks how it reports failures. Returns 0, or prints the failed expectations.
#include <string>
#include <vector>

#include "support.hpp"

namespace {

using Signs = Eigen::VectorXi;

/// Returns signs of both kinds, in no regular order.
Signs some_signs() {
  Signs signs(order);
  for (Index j = 0; j < order; ++j) signs[j] = j % 5 == 1 || j % 7 == 3 ? -1 : 1;
  return signs;
}

/// Returns a quasi-definite matrix: the block of the negative signs is negated.
MatrixXd quasi_definite(const Signs& signs) {
  MatrixXd a = dense_matrix();
  for (Index j = 0; j < order; ++j) {
    for (Index i = 0; i < order; ++i) {
      if (signs[i] < 0 && signs[j] < 0) a(i, j) = -a(i, j);
    }
  }
  return a;
}

/// Expects P A P⁻¹ = L D Lᵀ with a unit diagonal of L and with the signs in D.
template <class Solver>
void expect_parts(const Solver& solver, const MatrixXd& a, const Signs& signs,
                  const std::string& what) {
  const MatrixXd l = solver.matrixL();
  const VectorXd d = solver.vectorD();
  const MatrixXd permuted = solver.permutationP() * a * solver.permutationPinv();
  expect_close(l * d.asDiagonal() * l.transpose(), permuted, what + ": L D Lᵀ");
  expect_close(MatrixXd(solver.matrixU()), l.transpose(), what + ": U");
  expect(&solver.matrixL() == &solver.matrixL(), what + ": one copy of L");
  expect((l.diagonal().array() == 1).all(), what + ": the unit diagonal");
  expect(l.isLowerTriangular(), what + ": a lower triangle");
  const VectorXd permuted_signs = solver.permutationP() * signs.cast<double>();
  expect((d.array() * permuted_signs.array() > 0).all(), what + ": the signs of D");
  const espalier::Inertia inertia = solver.factor().inertia();
  expect(inertia.negative == (signs.array() < 0).count() &&
             inertia.positive == order - inertia.negative && inertia.zero == 0 &&
             inertia.status == espalier::Inertia::Status::exact,
         what + ": inertia");
}

/// Checks one type and triangle, with every form of a matrix.
template <class Sparse, int UpLo>
void expect_type(const std::string& name) {
  const Signs signs = some_signs();
  const MatrixXd a = quasi_definite(signs);
  espalier::EspalierLDLT<Sparse, UpLo> solver;
  solver.setSigns(signs);
  for (const int triangle : {UpLo, 0}) {
    for (const bool compressed : {true, false}) {
      const std::string what =
          name + (triangle == 0 ? ", full" : "") + (compressed ? "" : ", loose");
      Sparse matrix = sparse_of<Sparse>(a, triangle, compressed);
      solver.compute(matrix);
      expect_solves(solver, a, what);
      expect_parts(solver, a, signs, what);
      matrix *= 2;
      solver.factorize(matrix);
      expect_solves(solver, 2 * a, what + ", new values");
      matrix *= -1;
      solver.setSigns(-signs).factorize(matrix);
      expect_solves(solver, -2 * a, what + ", new signs");
      expect_parts(solver, -2 * a, -signs, what + ", new signs");
      solver.setSigns(signs);
    }
  }
}

/// Signs may have any type of numbers, and any form of a vector.
void expect_kinds_of_signs() {
  const Signs signs = some_signs();
  const MatrixXd a = quasi_definite(signs);
  const Plain matrix = sparse_of<Plain>(a, 0, true);
  expect_solves(espalier::EspalierLDLT<Plain>(matrix, signs), a, "whole numbers");
  expect_solves(espalier::EspalierLDLT<Plain>(matrix, signs.cast<double>()), a, "an expression");
  expect_solves(espalier::EspalierLDLT<Plain>(matrix, signs.transpose().eval()), a, "a row");
  const Eigen::Array<signed char, Eigen::Dynamic, 1> bytes = signs.array().cast<signed char>();
  expect_solves(espalier::EspalierLDLT<Plain>(matrix, bytes), a, "bytes");
  expect_solves(espalier::EspalierLDLT<Plain>(sparse_of<Plain>(dense_matrix(), 0, true),
                                              VectorXd::Ones(order)),
                dense_matrix(), "a positive definite matrix");
}

using Solver = espalier::EspalierLDLT<Plain>;

void expect_wrong_signs() {
  Signs signs = some_signs();
  const Plain matrix = sparse_of<Plain>(signs.cast<double>().asDiagonal().toDenseMatrix(), 0, true);
  signs[9] = -signs[9];
  Solver solver(matrix, signs);
  expect_message(solver, Eigen::NumericalIssue,
                 "does not have the given signs: the pivot of column 9, counted from 0");
  solver.setOption("regularization", "0,0,1e-13,0.25").compute(matrix);
  expect(solver.info() == Eigen::Success, "replaced pivots: " + solver.lastErrorMessage());
  expect(solver.factor().replaced_pivots() == std::vector<espalier::Index>{9}, "replaced pivots");
  expect(solver.factor().inertia().status == espalier::Inertia::Status::uncertain,
         "an inertia after replaced pivots");
  expect(solver.vectorD()[solver.permutationP().indices()[9]] == 0.25 * signs[9], "the new pivot");
}

void expect_refusals() {
  const Signs signs = some_signs();
  const MatrixXd a = quasi_definite(signs);
  const Plain matrix = sparse_of<Plain>(a, 0, true);
  Solver solver;
  expect_message(solver.setSigns(signs.head(order - 1)).compute(matrix), Eigen::InvalidInput,
                 "35 signs");
  expect_usage_error([&] { solver.setSigns(1.5 * signs.cast<double>()); }, "neither 1 nor -1");
  expect_usage_error([&] { solver.setOption("factorization", "llt"); }, "EspalierLDLT");
  expect_solves(solver.setSigns(signs).compute(matrix), a, "after failures");
  espalier::Options options;
  solver.setOptions(options);
  expect_solves(solver.compute(matrix), a, "with options of the default factorization");
  options.set("kernels", "blas");
  expect_message(solver.setOptions(options).compute(matrix), Eigen::InvalidInput, "kernels");

  espalier::EspalierLLT<Plain> positive;
  options = {};
  options.set("factorization=ldlt");
  positive.setOptions(options).compute(matrix);
  expect(positive.info() == Eigen::InvalidInput &&
             positive.lastErrorMessage().find("use EspalierLDLT") != std::string::npos,
         "an LDLᵀ by EspalierLLT, but: " + positive.lastErrorMessage());
}

void expect_no_rows() {
  Solver solver(Plain(0, 0), Signs(0));
  const MatrixXd x = solver.solve(MatrixXd(0, 3));
  expect(solver.info() == Eigen::Success && x.rows() == 0 && x.cols() == 3, "no rows");
  expect(solver.matrixL().rows() == 0 && solver.vectorD().size() == 0, "L and D without rows");
}

}  // namespace

int main() {
  using Eigen::ColMajor, Eigen::RowMajor, Eigen::Lower, Eigen::Upper;
  expect_type<Eigen::SparseMatrix<double, ColMajor, int>, Lower>("columns, int, lower");
  expect_type<Eigen::SparseMatrix<double, ColMajor, int>, Upper>("columns, int, upper");
  expect_type<Eigen::SparseMatrix<double, RowMajor, int>, Lower>("rows, int, lower");
  expect_type<Eigen::SparseMatrix<double, ColMajor, long>, Lower>("columns, long, lower");
  expect_type<Eigen::SparseMatrix<double, RowMajor, long>, Upper>("rows, long, upper");
  expect_kinds_of_signs();
  expect_wrong_signs();
  expect_refusals();
  expect_no_rows();
  return failures == 0 ? 0 : 1;
}
