// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <espalier/eigen.hpp>
#include <iostream>
#include <string>

/// Common parts of the tests of the solvers for Eigen: a matrix and expectations.

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Plain = Eigen::SparseMatrix<double>;

/// Number of failed expectations.
inline int failures = 0;

/// Counts and prints a failed expectation.
inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << what << '\n';
  ++failures;
}

constexpr Index side = 6;
constexpr Index order = side * side;

/// Returns a weighted Laplacian of a grid, which is diagonally dominant.
inline MatrixXd dense_matrix() {
  MatrixXd a = MatrixXd::Zero(order, order);
  for (Index j = 0; j < order; ++j) {
    a(j, j) = 5 + static_cast<double>(j % 4);
    for (const Index i : {j % side + 1 < side ? j + 1 : j, j + side}) {
      if (i != j && i < order) a(i, j) = a(j, i) = -1.0 / static_cast<double>(1 + j % 3);
    }
  }
  return a;
}

/// Expects the same numbers, except for rounding.
inline void expect_close(const MatrixXd& x, const MatrixXd& expected, const std::string& what) {
  expect(x.rows() == expected.rows() && x.cols() == expected.cols() &&
             (x - expected).cwiseAbs().maxCoeff() <= 1e-12 * expected.cwiseAbs().maxCoeff(),
         what);
}

/// Returns one triangle of the matrix, or both if `triangle` is 0.
template <class Sparse>
Sparse sparse_of(const MatrixXd& a, int triangle, bool compressed) {
  Sparse result = a.sparseView();
  if (triangle == Eigen::Lower) result = Sparse(result.template triangularView<Eigen::Lower>());
  if (triangle == Eigen::Upper) result = Sparse(result.template triangularView<Eigen::Upper>());
  if (!compressed) result.reserve(Eigen::VectorXi::Constant(order, 7));
  return result;
}

/// Expects an accurate factor of a dense matrix.
template <class Solver>
void expect_solves(const Solver& solver, const MatrixXd& a, const std::string& what) {
  const auto lu = a.partialPivLu();
  const MatrixXd b = MatrixXd::Random(order, 3);
  expect(solver.info() == Eigen::Success, what + ": " + solver.lastErrorMessage());
  expect_close(solver.solve(b), lu.solve(b), what + ": dense solve");
  const Plain sparse = b.sparseView();
  expect_close(MatrixXd(Plain(solver.solve(sparse))), lu.solve(b), what + ": sparse solve");
  expect(solver.backwardError() < 1e-14, what + ": backward error");
  expect(std::abs(solver.determinant() / lu.determinant() - 1) < 1e-10, what + ": determinant");
  expect(std::abs(solver.logDeterminant() - std::log(std::abs(lu.determinant()))) < 1e-10,
         what + ": logarithm");
}

/// Expects a failure of the last call, with these words in its message.
template <class Solver>
void expect_message(const Solver& solver, Eigen::ComputationInfo info, const std::string& words) {
  expect(solver.info() == info, words + ": info");
  expect(solver.lastErrorMessage().find(words) != std::string::npos,
         words + ", but: " + solver.lastErrorMessage());
}

/// Expects that the function throws a UsageError with these words in its message.
template <class Work>
void expect_usage_error(Work work, const std::string& words) {
  try {
    work();
    expect(false, words + " is not refused");
  } catch (const espalier::UsageError& error) {
    expect(std::string(error.what()).find(words) != std::string::npos,
           words + ", but: " + error.what());
  }
}
