// SPDX-License-Identifier: BSD-3-Clause
// Compares EspalierLDLT without signs with Eigen's dense solvers, and checks how it reports
// singular matrices and wrong use. Returns 0, or prints the failed expectations.
#include <limits>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

using Solver = espalier::EspalierLDLT<Plain>;
using Status = espalier::Inertia::Status;

constexpr Index constraints = 8;

/// Returns [H, Bᵀ; B, 0] with a positive definite H.
MatrixXd saddle_point() {
  constexpr Index rows = order - constraints;
  MatrixXd a = MatrixXd::Zero(order, order);
  a.topLeftCorner(rows, rows) = dense_matrix().topLeftCorner(rows, rows);
  for (Index c = 0; c < constraints; ++c) {
    for (const Index j : {3 * c, 3 * c + 1, rows - 1 - c}) {
      a(rows + c, j) = a(j, rows + c) = 1.0 + static_cast<double>(c % 3);
    }
  }
  return a;
}

/// Returns a matrix without diagonal entries, whose eigenvalues come in pairs of both signs.
MatrixXd hollow() {
  MatrixXd a = MatrixXd::Zero(order, order);
  for (Index j = 0; j + 1 < order; ++j)
    a(j + 1, j) = a(j, j + 1) = 2.0 - static_cast<double>(j % 2);
  return a;
}

/// Returns the stored triangle of a matrix, or both if `triangle` is 0, with the whole diagonal.
template <class Sparse>
Sparse with_diagonal(const MatrixXd& a, int triangle, bool compressed) {
  MatrixXd filled = a;
  filled.diagonal().array() += 1;
  Sparse result = sparse_of<Sparse>(filled, triangle, compressed);
  for (Index j = 0; j < a.rows(); ++j) result.coeffRef(j, j) = a(j, j);
  return result;
}

template <class Any>
void expect_inertia(const Any& solver, const MatrixXd& a, const std::string& what) {
  const VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<MatrixXd>(a).eigenvalues();
  const espalier::Inertia found = solver.factor().inertia();
  expect(found.positive == (eigenvalues.array() > 0).count() &&
             found.negative == (eigenvalues.array() < 0).count() && found.zero == 0 &&
             found.status == Status::exact,
         what + ": inertia");
}

/// Checks one type and triangle, with every form of a matrix.
template <class Sparse, int UpLo>
void expect_type(const std::string& name) {
  const MatrixXd a = saddle_point();
  espalier::EspalierLDLT<Sparse, UpLo> solver;
  for (const int triangle : {UpLo, 0}) {
    for (const bool compressed : {true, false}) {
      const std::string what =
          name + (triangle == 0 ? ", full" : "") + (compressed ? "" : ", loose");
      Sparse matrix = with_diagonal<Sparse>(a, triangle, compressed);
      solver.compute(matrix);
      expect_solves(solver, a, what);
      expect_inertia(solver, a, what);
      matrix *= -2;
      solver.factorize(matrix);
      expect_solves(solver, -2 * a, what + ", new values");
      expect_inertia(solver, -2 * a, what + ", new values");
    }
  }
}

void expect_matrices() {
  expect_solves(Solver(with_diagonal<Plain>(hollow(), 0, true)), hollow(), "a zero diagonal");
  expect_inertia(Solver(with_diagonal<Plain>(hollow(), 0, true)), hollow(), "a zero diagonal");
  expect_solves(Solver(sparse_of<Plain>(dense_matrix(), 0, true)), dense_matrix(), "definite");
  for (const char* const matching : {"0", "1"}) {
    Solver solver;
    solver.setOption("matching", matching).compute(with_diagonal<Plain>(saddle_point(), 0, true));
    expect_solves(solver, saddle_point(), std::string("matching ") + matching);
  }
  Solver shifted;
  shifted.setShift(-5.5).compute(sparse_of<Plain>(dense_matrix(), 0, true));
  const MatrixXd a = dense_matrix() - 5.5 * MatrixXd::Identity(order, order);
  expect_solves(shifted, a, "a shift");
  expect_inertia(shifted, a, "a shift");
}

void expect_singular_matrices() {
  MatrixXd dependent = saddle_point();
  dependent.row(order - 1) = dependent.row(order - 2);
  dependent.col(order - 1) = dependent.col(order - 2);
  const Plain regular = with_diagonal<Plain>(saddle_point(), 0, true);
  for (const MatrixXd& a : {dependent, MatrixXd(MatrixXd::Zero(order, order))}) {
    Solver solver(with_diagonal<Plain>(a, 0, true));
    expect_message(solver, Eigen::NumericalIssue, "singular to rounding: the pivot of column");
    expect_usage_error([&] { solver.factor(); }, "no matrix has been factored");
    expect_solves(solver.compute(regular), saddle_point(), "after a singular matrix");
  }
  // The values are those of a regular matrix when the solver analyzes the pattern.
  Solver solver(with_diagonal<Plain>(saddle_point(), 0, true));
  Plain zeros = regular;
  zeros *= 0;
  solver.factorize(zeros);
  expect_message(solver, Eigen::NumericalIssue, "singular to rounding");
}

/// A matrix with a condition number of 1e14 has solutions, but rounding errors may change the signs
/// of its eigenvalues.
void expect_uncertain_inertia() {
  MatrixXd a = MatrixXd::Identity(order, order);
  a(1, 2) = a(2, 1) = -1;
  a(2, 2) = 1 + 3e-14;
  Solver solver(a.sparseView());
  const VectorXd x = solver.solve(VectorXd::Ones(order));
  expect(solver.info() == Eigen::Success && (a * x - VectorXd::Ones(order)).norm() < 1e-12,
         "a nearly singular matrix: " + solver.lastErrorMessage());
  expect(solver.factor().inertia().status == Status::uncertain, "an uncertain inertia");
}

void expect_refusals() {
  const Plain matrix = with_diagonal<Plain>(saddle_point(), 0, true);
  Solver solver(matrix);
  expect_usage_error([&] { static_cast<void>(solver.matrixL()); }, "L is not a triangle");
  expect_usage_error([&] { static_cast<void>(solver.matrixU()); }, "L is not a triangle");
  expect_usage_error([&] { static_cast<void>(solver.vectorD()); }, "L is not a triangle");
  solver.setOption("regularization", "1e-8,0,0,0").compute(matrix);
  expect_message(solver, Eigen::InvalidInput, "regularization needs the signs");

  Solver wide;
  const MatrixXd rectangle = MatrixXd::Ones(3, 4);
  expect_message(wide.compute(rectangle.sparseView()), Eigen::InvalidInput, "not square");
  wide.compute(matrix).factorize(with_diagonal<Plain>(MatrixXd::Identity(4, 4), 0, true));
  expect_message(wide, Eigen::InvalidInput, "another size");
  Plain not_finite = matrix;
  not_finite.coeffRef(2, 2) = std::numeric_limits<double>::quiet_NaN();
  expect_message(wide.compute(not_finite), Eigen::NumericalIssue, "not finite");
}

/// Signs can be given after a factorization that chose its pivots.
void expect_signs_afterwards() {
  MatrixXd a = saddle_point();
  a.bottomRightCorner(constraints, constraints) = -MatrixXd::Identity(constraints, constraints);
  Eigen::VectorXi signs = Eigen::VectorXi::Ones(order);
  signs.tail(constraints).setConstant(-1);
  const Plain matrix = sparse_of<Plain>(a, 0, true);
  Solver solver(matrix);
  expect_solves(solver, a, "without signs");
  solver.setSigns(signs).factorize(matrix);
  expect_solves(solver, a, "with signs afterwards");
  expect((solver.vectorD().array() < 0).count() == constraints, "D with signs afterwards");
}

/// The option factorization=auto tries L Lᵀ first.
void expect_automatic() {
  const Plain definite = sparse_of<Plain>(dense_matrix(), 0, true);
  const Plain indefinite = with_diagonal<Plain>(saddle_point(), 0, true);
  Solver solver;
  solver.setOption("factorization", "auto");
  expect_solves(solver.compute(definite), dense_matrix(), "auto, positive definite");
  expect(solver.factor().report().factor.factorization == "llt", "auto takes L Lᵀ");
  expect((solver.vectorD().array() > 0).all(), "D of a positive definite matrix");
  const MatrixXd l = solver.matrixL();
  const MatrixXd product = l * solver.vectorD().asDiagonal() * l.transpose();
  const MatrixXd permuted = solver.permutationP() * dense_matrix() * solver.permutationPinv();
  expect((product - permuted).norm() < 1e-12 * permuted.norm(), "L D Lᵀ of auto");
  expect_solves(solver.compute(indefinite), saddle_point(), "auto, indefinite");
  expect(solver.factor().report().factor.factorization == "ldlt", "auto chooses pivots");
  expect_inertia(solver, saddle_point(), "auto");
  expect_usage_error([&] { static_cast<void>(solver.matrixL()); }, "L is not a triangle");
  Plain zeros = indefinite;
  zeros *= 0;
  expect_message(solver.compute(zeros), Eigen::NumericalIssue, "singular to rounding");
  const Eigen::VectorXi signs = Eigen::VectorXi::Ones(order);
  expect_message(solver.setSigns(signs).compute(definite), Eigen::InvalidInput,
                 "factorization=ldlt");

  espalier::Options options;
  options.set("factorization=auto");
  expect_solves(Solver().setOptions(options).compute(indefinite), saddle_point(), "options: auto");
  espalier::EspalierLLT<Plain> llt;
  expect_usage_error([&] { llt.setOption("factorization", "auto"); }, "EspalierLDLT");
  expect_message(llt.setOptions(options).compute(definite), Eigen::InvalidInput, "EspalierLDLT");
}

}  // namespace

int main() {
  using Eigen::ColMajor, Eigen::RowMajor, Eigen::Lower, Eigen::Upper;
  expect_type<Eigen::SparseMatrix<double, ColMajor, int>, Lower>("columns, int, lower");
  expect_type<Eigen::SparseMatrix<double, ColMajor, int>, Upper>("columns, int, upper");
  expect_type<Eigen::SparseMatrix<double, RowMajor, long>, Lower>("rows, long, lower");
  expect_matrices();
  expect_singular_matrices();
  expect_uncertain_inertia();
  expect_refusals();
  expect_signs_afterwards();
  expect_automatic();
  return failures == 0 ? 0 : 1;
}
