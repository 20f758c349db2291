// SPDX-License-Identifier: BSD-3-Clause
// Compares EspalierLLT with Eigen's dense LLT, for every storage order, index and triangle, and
// checks how it reports failures. Returns 0, or prints the failed expectations.
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "support.hpp"

namespace {

template <class Solver>
void expect_solves(const Solver& solver, const MatrixXd& a, const std::string& what) {
  const Eigen::LLT<MatrixXd> llt(a);
  const MatrixXd b = MatrixXd::Random(order, 3);
  expect(solver.info() == Eigen::Success, what + ": " + solver.lastErrorMessage());
  expect_close(solver.solve(b), llt.solve(b), what + ": dense solve");
  const VectorXd vector = b.col(1);
  expect_close(solver.solve(vector), llt.solve(vector), what + ": one vector");
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = b;
  rows = solver.solve(rows).eval();
  expect_close(rows, llt.solve(b), what + ": vectors by rows");
  MatrixXd array = MatrixXd::Zero(order + 2, 5);
  array.block(1, 1, order, 3) = solver.solve(b);
  expect_close(array.block(1, 1, order, 3), llt.solve(b), what + ": into a part of an array");
  expect(array.row(0).isZero() && array.row(order + 1).isZero() && array.col(0).isZero() &&
             array.col(4).isZero(),
         what + ": the rest of the array");
  VectorXd same = vector;
  same = solver.solve(same);
  expect_close(same, llt.solve(vector), what + ": where the right-hand side was");
  MatrixXd apart(3, order);
  apart.row(1).transpose() = solver.solve(vector);
  expect_close(apart.row(1).transpose(), llt.solve(vector), what + ": entries with gaps");
  rows = solver.solve(b);
  expect_close(rows, llt.solve(b), what + ": solutions by rows");
  const double determinant = std::pow(llt.matrixLLT().diagonal().prod(), 2);
  expect(std::abs(solver.determinant() / determinant - 1) < 1e-10, what + ": determinant");
  expect(std::abs(solver.logDeterminant() - std::log(determinant)) < 1e-10, what + ": logarithm");
  expect(solver.backwardError() < 1e-14, what + ": backward error");
}

/// Checks one type and triangle, with every form of a matrix.
template <class Sparse, int UpLo>
void expect_type(const std::string& name) {
  const MatrixXd a = dense_matrix();
  espalier::EspalierLLT<Sparse, UpLo> solver;
  for (const int triangle : {UpLo, 0}) {
    for (const bool compressed : {true, false}) {
      const std::string what =
          name + (triangle == 0 ? ", full" : "") + (compressed ? "" : ", loose");
      Sparse other = sparse_of<Sparse>(a, triangle, compressed);
      solver.setComparison(triangle != 0);
      if (triangle == 0) {  // the solver must not read this entry
        other.coeffRef(UpLo == Eigen::Lower ? 0 : 1, UpLo == Eigen::Lower ? 1 : 0) = 99;
      }
      expect_solves(solver.compute(other), a, what);
      other *= 2;
      solver.factorize(other);
      expect_solves(solver, 2 * a, what + ", new values");
      solver.setShift(3, 0.5).factorize(other);
      const MatrixXd shifted =
          2 * a + (VectorXd::Constant(order, 3) - a.diagonal()).asDiagonal().toDenseMatrix();
      expect_solves(solver, shifted, what + ", shifted");
      solver.setShift(0);
    }
  }
}

void expect_sparse_right_hand_sides() {
  const MatrixXd a = dense_matrix();
  const espalier::EspalierLLT<Plain> solver(sparse_of<Plain>(a, 0, true));
  MatrixXd b = MatrixXd::Zero(order, 2);
  b(3, 0) = 1;
  b(7, 1) = -2;
  const Plain sparse = b.sparseView();
  const Plain x = solver.solve(sparse);
  expect_close(MatrixXd(x), Eigen::LLT<MatrixXd>(a).solve(b), "sparse right-hand sides");
}

/// Without a copy, the solver reads changed values; with a copy, it does not.
void expect_copies_as_promised() {
  const MatrixXd a = dense_matrix();
  const VectorXd b = VectorXd::Ones(order);
  for (const bool stays : {false, true}) {
    Plain matrix = sparse_of<Plain>(a, Eigen::Lower, true);
    espalier::EspalierLLT<Plain> solver;
    solver.setMatrixStays(stays).compute(matrix);
    expect_solves(solver, a, stays ? "a matrix that stays" : "a matrix that goes");
    matrix *= 2;
    const VectorXd x = solver.solve(b);  // the residual uses the values that the solver has
    expect((solver.info() == Eigen::Success) != stays, "values that change after compute()");
  }
  const espalier::EspalierLLT<Plain> temporary(Plain(0.5 * sparse_of<Plain>(a, 0, true)));
  expect_solves(temporary, 0.5 * a, "a temporary matrix");
}

void expect_refusal(const Plain& matrix, Eigen::ComputationInfo info, const std::string& words) {
  espalier::EspalierLLT<Plain> solver;
  solver.compute(matrix);
  expect(solver.info() == info, words + ": info");
  expect(solver.lastErrorMessage().find(words) != std::string::npos,
         words + ", but: " + solver.lastErrorMessage());
  expect_solves(solver.compute(sparse_of<Plain>(dense_matrix(), 0, true)), dense_matrix(),
                "after a failure");
}

void expect_refusals() {
  MatrixXd a = dense_matrix();
  a(5, 5) = -1;
  expect_refusal(sparse_of<Plain>(a, 0, true), Eigen::NumericalIssue, "column 5, counted from 0");
  a(5, 5) = 0;
  expect_refusal(sparse_of<Plain>(a, 0, true), Eigen::NumericalIssue, "diagonal");
  a(5, 5) = std::numeric_limits<double>::infinity();
  expect_refusal(sparse_of<Plain>(a, 0, true), Eigen::NumericalIssue, "finite");
  expect_refusal(Plain(3, 4), Eigen::InvalidInput, "not square");

  espalier::EspalierLLT<Plain> solver(sparse_of<Plain>(dense_matrix(), 0, true));
  Plain identity(order, order);
  identity.setIdentity();
  solver.factorize(identity);
  expect(solver.info() == Eigen::InvalidInput, "another pattern");
  Plain larger(order + 1, order + 1);
  larger.setIdentity();
  solver.factorize(larger);
  expect(solver.info() == Eigen::InvalidInput &&
             solver.lastErrorMessage().find("another size") != std::string::npos,
         "another size");
  espalier::Options narrow;
  narrow.analysis.panel_width = 3;
  solver.setOptions(narrow).compute(sparse_of<Plain>(dense_matrix(), 0, true));
  expect(solver.info() == Eigen::InvalidInput &&
             solver.lastErrorMessage().find("panel_width is 3") != std::string::npos,
         "an option out of range");
  for (const auto& [name, value] : {std::pair("speed", "9"), std::pair("panel-width", "3")}) {
    try {
      solver.setOption(name, value);
      expect(false, std::string(name) + " is refused");
    } catch (const espalier::UsageError&) {
    }
  }
}

/// Both triangles are compared, by columns and by rows. One triangle is enough if the solver reads
/// it.
template <class Sparse>
void expect_comparison(const std::string& what) {
  MatrixXd a = dense_matrix();
  a(1, 0) -= 1;
  espalier::EspalierLLT<Sparse> solver;
  const auto expect_message = [&](const std::string& words) {
    expect(solver.info() == Eigen::NumericalIssue &&
               solver.lastErrorMessage().find(words) != std::string::npos,
           what + ", " + words + ", but: " + solver.lastErrorMessage());
  };
  solver.compute(sparse_of<Sparse>(a, 0, true));
  expect_message("(1, 0) = -2 differs from its mirror (0, 1) = -1");
  solver.compute(sparse_of<Sparse>(a, 0, false));
  expect_message("(1, 0) = -2 differs from its mirror (0, 1) = -1");
  solver.compute(sparse_of<Sparse>(dense_matrix(), 0, true));
  Sparse other = sparse_of<Sparse>(a, 0, true);
  solver.factorize(other);
  expect_message("(1, 0) = -2 differs");
  a = dense_matrix();
  a(1, 0) = 0;
  solver.compute(sparse_of<Sparse>(a, 0, true));
  expect_message("(0, 1) has no mirror (1, 0), so the matrix is not symmetric; to read only");
  solver.compute(sparse_of<Sparse>(dense_matrix(), Eigen::Upper, true));
  expect_message("choose Eigen::Upper");
  solver.setComparison(false).compute(sparse_of<Sparse>(dense_matrix(), Eigen::Upper, true));
  expect_solves(solver, MatrixXd(dense_matrix().diagonal().asDiagonal()), what + ": alone");
  VectorXd b = VectorXd::Ones(order);
  b(3) = std::numeric_limits<double>::quiet_NaN();
  static_cast<void>(solver.solve(b).eval());
  expect_message("row 3 that is not finite");
}

/// The order of "deterministic" and "workers" does not matter.
void expect_options() {
  espalier::Options one;
  one.set("deterministic=1");
  one.set("workers", "3");
  espalier::Options other;
  other.set("workers=3");
  other.set("deterministic", "1");
  expect(one.analysis.workers == other.analysis.workers && one.runtime.workers == 3, "workers");
  expect(!one.analysis.tuned && !other.analysis.tuned, "tunings");
  one.set("deterministic=0");
  expect(one.analysis.workers == 3 && one.analysis.tuned && !one.factor.deterministic, "undone");

  espalier::EspalierLLT<Plain> solver;
  solver.setOption("ordering", "natural").compute(sparse_of<Plain>(dense_matrix(), 0, true));
  for (Index k = 0; k < order; ++k) {
    expect(solver.factor().permutation()[k] == k, "the natural ordering");
  }
}

void expect_no_rows() {
  espalier::EspalierLLT<Plain> solver;
  solver.compute(Plain(0, 0));
  const Eigen::MatrixXd x = solver.solve(Eigen::MatrixXd(0, 3));
  expect(solver.info() == Eigen::Success && x.rows() == 0 && x.cols() == 3, "no rows");
}

}  // namespace

int main() {
  using Eigen::ColMajor, Eigen::RowMajor, Eigen::Lower, Eigen::Upper;
  expect_type<Eigen::SparseMatrix<double, ColMajor, int>, Lower>("columns, int, lower");
  expect_type<Eigen::SparseMatrix<double, ColMajor, int>, Upper>("columns, int, upper");
  expect_type<Eigen::SparseMatrix<double, RowMajor, int>, Lower>("rows, int, lower");
  expect_type<Eigen::SparseMatrix<double, ColMajor, long>, Lower>("columns, long, lower");
  expect_type<Eigen::SparseMatrix<double, RowMajor, long>, Upper>("rows, long, upper");
  expect_sparse_right_hand_sides();
  expect_copies_as_promised();
  expect_refusals();
  expect_comparison<Eigen::SparseMatrix<double, ColMajor, int>>("columns");
  expect_comparison<Eigen::SparseMatrix<double, RowMajor, long>>("rows");
  expect_options();
  expect_no_rows();
  return failures == 0 ? 0 : 1;
}
