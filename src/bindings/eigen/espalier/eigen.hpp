// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eigen_solver_base.hpp"
#include "espalier/bindings.hpp"

/// \file
/// Sparse solvers for Eigen that use Espalier.

namespace espalier {

// NOLINTBEGIN(readability-identifier-naming): names in the style of Eigen
/// A solver for a sparse, symmetric positive definite matrix A by P A Pᵀ = L Lᵀ. It replaces
/// Eigen::SimplicialLLT.
template <class MatrixType_, int UpLo_ = Eigen::Lower>
class EspalierLLT : public EspalierSolverBase<EspalierLLT<MatrixType_, UpLo_>, MatrixType_, UpLo_> {
  using Base = EspalierSolverBase<EspalierLLT, MatrixType_, UpLo_>;

 public:
  /// Makes a solver without a matrix.
  EspalierLLT() : Base(Factorization::llt) {}
  /// Makes a solver and calls compute().
  explicit EspalierLLT(const MatrixType_& a) : EspalierLLT() { this->compute(a); }
};

/// A solver for a sparse, symmetric, indefinite matrix A. It replaces Eigen::SimplicialLDLT. A must
/// store each diagonal entry, also if it is zero.
///
/// - After setSigns(), the pivots have known signs, as those of a quasi-definite A. The solver
///   computes P A Pᵀ = L D Lᵀ without pivoting, for a lower triangular L with a unit diagonal and
///   for a diagonal D with these signs.
/// - Without signs, the solver chooses its pivots, for any A. If A is singular to rounding,
///   info() is Eigen::NumericalIssue. L then is not a triangle, so that matrixL(), matrixU() and
///   vectorD() throw UsageError.
/// - After setOption("factorization", "auto"), the solver first tries P A Pᵀ = L Lᵀ, which is
///   faster, and chooses pivots after a pivot that is not positive. Later matrices also get chosen
///   pivots then, until the next analyzePattern() or compute(). Signs are not allowed.
///
/// factor() returns the inertia of A, the growth of L and the replaced pivots. The L of factor()
/// does not have a unit diagonal: it is matrixL() times the square root of the magnitude of D.
template <class MatrixType_, int UpLo_ = Eigen::Lower>
class EspalierLDLT
    : public EspalierSolverBase<EspalierLDLT<MatrixType_, UpLo_>, MatrixType_, UpLo_> {
  using Base = EspalierSolverBase<EspalierLDLT, MatrixType_, UpLo_>;

 public:
  /// Type of matrixL() and matrixU().
  using CholMatrixType =
      Eigen::SparseMatrix<double, Eigen::ColMajor, typename MatrixType_::StorageIndex>;
  /// Type of vectorD().
  using VectorType = Eigen::Matrix<double, Eigen::Dynamic, 1>;

  /// Makes a solver without a matrix.
  EspalierLDLT() : Base(Factorization::ldlt) {}
  /// Makes a solver that chooses its pivots, and calls compute().
  explicit EspalierLDLT(const MatrixType_& a) : EspalierLDLT() { this->compute(a); }
  /// Makes a solver and calls setSigns() and compute().
  template <class Signs>
  EspalierLDLT(const MatrixType_& a, const Eigen::DenseBase<Signs>& signs) : EspalierLDLT() {
    setSigns(signs).compute(a);
  }

  /// Sets the signs of the pivots: a vector of numbers of any type, 1 or -1 for each row of A. For
  /// a quasi-definite matrix, they are the signs of its diagonal blocks: 1 in the positive definite
  /// block, -1 in the negative definite one. They take effect at the next factorize() or compute(),
  /// and there is no factor until then. Call it before analyzePattern(), which pairs columns if
  /// there are no signs. Throws UsageError if a number is neither 1 nor -1.
  template <class Signs>
  EspalierLDLT& setSigns(const Eigen::DenseBase<Signs>& signs) {
    EIGEN_STATIC_ASSERT_VECTOR_ONLY(Signs)
    const typename Signs::PlainObject given = signs.derived();
    std::vector<signed char> known;
    known.reserve(static_cast<std::size_t>(given.size()));
    for (Eigen::Index k = 0; k < given.size(); ++k) {
      if (given[k] != 1 && given[k] != -1) {
        throw UsageError("the sign of row " + std::to_string(k) +
                         " (counted from 0) is neither 1 nor -1");
      }
      known.push_back(given[k] == 1 ? 1 : -1);
    }
    this->set_signs(std::move(known));
    return *this;
  }

  /// Returns L, with its unit diagonal. The first call after a factorization makes a copy, of 12 or
  /// 16 bytes per entry of L, which lives until the next factorization. Throws UsageError if the
  /// factorization chose its pivots.
  const CholMatrixType& matrixL() const { return this->unit_lower(); }
  /// Returns the transpose of matrixL(), with the same cost and errors.
  Eigen::Transpose<const CholMatrixType> matrixU() const { return matrixL().transpose(); }
  /// Returns the diagonal of D, in the order of L. Each entry is the sign of its column, or 1
  /// without signs, times the square of the diagonal entry of factor().lower(). Throws UsageError
  /// if the factorization chose its pivots. Cost O(n).
  VectorType vectorD() const {
    const std::vector<double> diagonal = this->factor().diagonal();
    const std::span<const Index> columns = this->factor().permutation();
    VectorType d(this->rows());
    for (std::size_t k = 0; k < diagonal.size(); ++k) {
      const double sign = this->signs() ? (*this->signs())[columns[k]] : 1;
      d[static_cast<Eigen::Index>(k)] = sign * diagonal[k] * diagonal[k];
    }
    return d;
  }
};
// NOLINTEND(readability-identifier-naming)

}  // namespace espalier
